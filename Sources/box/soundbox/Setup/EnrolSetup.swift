import ArgumentParser
import SoundboxCommandLine
import SoundboxCore
import SoundboxSetup
import SoundboxSystem

struct EnrolSetup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrol", abstract: "Get this box's certificate and setup from the issuer of its claim.",
        discussion: """
            A claim is a file that is the same for a batch of boxes: claim.yaml on the boot partition, which the first \
            boot moves beside soundbox.yaml. The box makes a key of its own, asks the claim's issuer for a certificate \
            and for its setup, installs both and removes the claim. It asks until it is answered; \
            soundbox-enrol.service does that after a first boot. provisioning/enrolment has an issuer.
            """)

    @Option(
        help: ArgumentHelp(
            "Who this machine is for the issuer; otherwise by the board's serial number, or the machine id.",
            valueName: "id"))
    var hardwareID: String?

    @Flag(help: "Ask once, and fail without an answer.")
    var once = false

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var restart: RestartOptions

    /// The pause after an unanswered attempt; it doubles up to ``longestPause``.
    private static let shortestPause = Duration.seconds(5)
    private static let longestPause = Duration.seconds(300)

    func validate() throws {
        guard let hardwareID, !EnrolmentTopics.isName(hardwareID) else { return }
        throw ValidationError("--hardware-id takes 1 to 64 letters, digits, dots, hyphens and underscores.")
    }

    func run() async throws {
        guard let id = hardwareID ?? HardwareIdentity().deviceID else {
            throw ValidationError("This machine has no serial number and no machine id; give --hardware-id.")
        }
        let enrolment = Enrolment(configuration: configuration.config, hardwareID: id)
        guard enrolment.isDue else { return printLine("There is no claim: nothing to do.") }
        // A box that waits for its setup starts by itself.
        let isSetUp = SmallFile.exists(configuration.config)
        var pause = Self.shortestPause
        while true {
            let problem: String
            do {
                switch try await onOwnThread(named: "enrol", { try enrolment.attempt() }) {
                case .enrolled(let paths, let notice):
                    for path in paths { printLine("wrote \(path)") }
                    if let notice { printLine(notice) }
                    printLine("\(id) is enrolled, and the claim is removed")
                    if isSetUp { try await restart.restart(configuration.config) }
                    return
                case .refused(let reason):
                    problem = "the issuer refuses \(id): \(reason)"
                    // Refused: a person must act first.
                    pause = Self.longestPause
                }
            } catch {
                problem = "\(error)"
            }
            guard !once else { throw SetupFailure(problem) }
            // Random, because boxes of a batch are switched on together.
            let rest = pause * Double.random(in: 0.5..<1)
            printLine("not enrolled: \(problem); again in \(rest.components.seconds) s")
            try await Task.sleep(for: rest)
            pause = min(pause * 2, Self.longestPause)
        }
    }
}

private struct SetupFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
