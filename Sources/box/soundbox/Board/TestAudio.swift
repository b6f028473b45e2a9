import ArgumentParser
import SoundboxAudio
import SoundboxCommandLine
import SoundboxCore
import SoundboxSetup

struct TestAudio: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audio", abstract: "Play a tone, the channels and a payment, and ask whether each was heard.",
        discussion: """
            Through the configured device and amplifier: first a tone of 1 kHz at −20 dBFS, which a level meter \
            can read; then each channel's number on that channel alone; then a payment at the box's volume. Needs the \
            device, so a running box has to be stopped first: systemctl stop soundbox. Exit code 0 when all was heard, \
            1 when something was not, or when nobody answered.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Option(help: ArgumentHelp("Play on this ALSA device instead of the configured one.", valueName: "device"))
    var device: String?

    @Option(help: ArgumentHelp("0 to 100, instead of the configured volume.", valueName: "percent"))
    var volume: Int?

    @Flag(help: "Play everything and ask nothing: exit code 0 when the device took it.")
    var noQuestions = false

    func validate() throws {
        if let volume, !Volume.range.contains(volume) { throw ValidationError("--volume goes from 0 to 100.") }
    }

    /// One sound of the test.
    private struct Step {
        var name: String
        var question: String
        var play: () async throws -> Void
    }

    func run() async throws {
        let trial = try SoundTrial(
            configuration.read(), device: device, volume: volume.map { Volume($0) }, note: { printError($0) })
        do {
            let status = try await trial.open()
            printLine("\"\(trial.device)\": \(status.summary)")
            var missing: [String] = []
            for step in steps(trial, channelCount: status.format.channelCount)
            where try await !isHeard(step) { missing.append(step.name) }
            await trial.close()
            guard missing.isEmpty else {
                throw Failure(
                    description: "not heard: \(missing.joined(separator: ", ")); check the loudspeaker's wires, and "
                        + "for switches that are off run: soundbox doctor")
            }
        } catch {
            await trial.close()
            throw error
        }
        printLine(noQuestions ? "The device took all of it." : "The sound works.")
    }

    private func steps(_ trial: SoundTrial, channelCount: Int) -> [Step] {
        let sides = channelCount == 2 ? [" (left)", " (right)"] : []
        let channels = (0..<channelCount).map { channel in
            let name = "channel \(channel + 1)" + (sides.isEmpty ? "" : sides[channel])
            return Step(name: name, question: "Is that the number \(channel + 1), on \(name) alone?") {
                printLine("The number \(channel + 1) on \(name)")
                try await trial.playName(ofChannel: channel)
            }
        }
        let tone = Step(name: "tone", question: "Is it steady and clean?") {
            printLine("A tone of 1 kHz at −20 dBFS, for three seconds")
            try await trial.playTone()
        }
        let payment = Step(name: "payment", question: "Is every word clear, and loud enough for the shop?") {
            printLine("A payment")
            printLine("  \(try await trial.playPayment())")
        }
        return [tone] + channels + [payment]
    }

    /// Plays it, repeats it on request, and asks whether it was heard.
    private func isHeard(_ step: Step) async throws -> Bool {
        try await step.play()
        while !noQuestions {
            guard let answer = try await Terminal.answer(to: "  \(step.question) [y/n, or r to hear it again] ") else {
                throw Failure(
                    description: "nobody answers, standard input has ended; to play without questions: --no-questions")
            }
            switch answer.lowercased() {
            case "y", "yes": return true
            case "n", "no": return false
            case "r": try await step.play()
            default: printLine("  Please answer y, n or r.")
            }
        }
        return true
    }

    private struct Failure: Error, CustomStringConvertible { var description: String }
}
