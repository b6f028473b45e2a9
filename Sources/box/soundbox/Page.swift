import ArgumentParser
import Glibc
import Logging
import ServiceLifecycle
import SoundboxBox
import SoundboxCommandLine
import SoundboxConfiguration
import SoundboxLogging
import SoundboxPage
import SoundboxSystem

struct PageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Serve the shop's page: what the box heard today, on a phone in the same network.",
        discussion: """
            Off until soundbox.yaml says page: {enabled: true}. Then the installed box serves it by itself \
            (soundbox-page.service); by hand it is for trials. It prints the address, with a QR code on a terminal. \
            Whoever asks at the page for a code hears it from the box.

              soundbox page
              sudo soundbox page --sign-out-all
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Option(help: ArgumentHelp("Where the box answers the page, instead of the configured one.", valueName: "path"))
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "Where it is kept who is signed in. By default $STATE_DIRECTORY, else /var/lib/soundbox-page.",
            valueName: "folder"))
    var state: String?

    @Option(help: ArgumentHelp("What browsers are given.", valueName: "folder"))
    var files = InstalledFolders.nearestPage

    @Flag(help: "Sign every phone out, also with a page that runs, and end.")
    var signOutAll = false

    private var folder: String {
        state ?? getenv("STATE_DIRECTORY").map { String(cString: $0) } ?? ShopPageSettings.installedFolder
    }

    func run() async throws {
        if signOutAll {
            try Sessions.closeAll(ShopPageSettings.sessionsFile(in: folder))
            return printLine("every phone is signed out")
        }
        Footprint.keepSmall()
        let logger = Logger(label: "page") { _ in LineLogHandler(level: .info) }
        let path = try socket ?? socketOfConfiguration()
        guard access(folder, W_OK) == 0 else {
            throw FileError(
                path: folder, problem: "cannot be written in: \(SystemError.last); name another folder with --state")
        }
        let sessions = Sessions(file: ShopPageSettings.sessionsFile(in: folder))
        let page = PageServer(socketPath: path, files: files, sessions: sessions, logger: logger) {
            for url in $0 { Self.show(url) }
        } ended: { ending in
            if case .notWanted(let reason) = ending { printError(reason) }
        }
        let signals = await StopSignals()
        let group = ServiceGroupConfiguration(
            services: [
                .init(service: page, successTerminationBehavior: .gracefullyShutdownGroup),
                .init(service: signals, successTerminationBehavior: .gracefullyShutdownGroup),
            ],
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        try await ServiceGroup(configuration: group).run()
    }

    /// The control socket. If the page's process may not read the box's setup, it is the installed one.
    private func socketOfConfiguration() throws -> String {
        guard access(configuration.config, R_OK) == 0 else { return ShopPageSettings.installedSocket }
        guard let page = try configuration.read().features.page else {
            printError("\(configuration.config): the page is switched off; page: {enabled: true} switches it on")
            throw ExitCode.failure
        }
        return page.socket
    }

    private static func show(_ url: String) {
        printLine("the page is at \(url)")
        guard isatty(STDOUT_FILENO) == 1 else { return }
        for line in QRCode.lines(of: url) ?? [] { printLine(line) }
    }
}
