import ArgumentParser
import Glibc
import Logging
import ServiceLifecycle
import SoundboxCore
import SoundboxGateway
import SoundboxLogging
import SoundboxSystem
import UnixSignals

/// The provider's program. What only reads the store is in Lists.swift.
struct Gateway: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soundbox-gateway",
        abstract: "Takes payments by HTTP and sends them to sound boxes until the boxes have them.",
        version: SoundboxVersion.current,
        subcommands: [
            RunGateway.self, CheckConfiguration.self, ListPayments.self, ListUnread.self, RetryUnread.self,
            ListCallbacks.self, ResendCallbacks.self, MoveStore.self,
        ])
}

@main
enum Main {
    /// Help and version go to standard output with code 0; every error is one line on standard error: bad usage with
    /// code 64 (EX_USAGE of sysexits.h), anything else with 1.
    static func main() async {
        do {
            var command = try Gateway.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let code = Gateway.exitCode(for: error)
            if code == .success {
                print(Gateway.fullMessage(for: error))
                exit(EXIT_SUCCESS)
            }
            let hint = code == .validationFailure ? " Try: soundbox-gateway --help" : ""
            let message = Gateway.message(for: error).split(separator: "\n").joined(separator: " ")
            var line = "soundbox-gateway: \(message.printable)\(hint)\n"
            line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
            exit(code == .validationFailure ? EX_USAGE : EXIT_FAILURE)
        }
    }
}

struct ConfigurationOption: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config = GatewayConfiguration.defaultPath

    /// The configuration, and its database for this use. Blocks on the disk.
    func open(_ role: StoreRole) throws -> (GatewayConfiguration, any PaymentStore) {
        let configuration = try GatewayConfiguration(readingFile: config)
        return try (
            configuration,
            configuration.using("database") { try configuration.database.open(role, name: configuration.clientID) }
        )
    }
}

struct RunGateway: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Be the gateway.",
        discussion: """
            Stays in the foreground and logs to standard error. SIGTERM and Ctrl-C answer the requests that have come, \
            and end. SIGHUP reads tokens, hooks and their secrets again, and takes all of them or none. Under systemd it reports readiness and serves the watchdog.
            """)

    @OptionGroup var configuration: ConfigurationOption

    func run() async throws {
        let logger = Logger(label: "gateway") { _ in LineLogHandler(level: .info) }
        // Before this, the signal would end it.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        // It may wait for a database.
        let gateway = try await onOwnThread(named: "start") { [configuration] in
            try GatewayService(
                configuration: try GatewayConfiguration(readingFile: configuration.config), logger: logger)
        }
        let group = ServiceGroupConfiguration(
            services: try [ReloadService(hangUps: hangUps, gateway: gateway)] + gateway.services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        try await ServiceGroup(configuration: group).run()
        try gateway.close()
        logger.info("stopped")
    }
}

private struct ReloadService: Service {
    let hangUps: UnixSignalsSequence
    let gateway: GatewayService

    func run() async {
        for await _ in hangUps.cancelOnGracefulShutdown() {
            // It reads files.
            try? await onOwnThread(named: "reload") { gateway.reload() }
        }
    }
}

struct CheckConfiguration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read gateway.yaml and what it names: tokens, hooks, secrets and keys.",
        discussion: """
            Prints the hooks and the boxes' keys, or what cannot be read, with file and line. Changes nothing, and needs no broker. Run it as \
            the gateway's user.
            """)

    @OptionGroup var configuration: ConfigurationOption

    func run() throws {
        let configuration = try GatewayConfiguration(readingFile: configuration.config)
        _ = try configuration.brokerSettings()
        let hooks = try GatewayService.read(configuration).reader.hooks.keys.sorted()
        let keys = try GatewayService.keys(configuration)
        print("hooks: \(hooks.isEmpty ? "none" : hooks.joined(separator: " "))")
        print("keys: \(keys.usable)")
        for problem in keys.problems { print("payments wait for it: \(problem)".printable) }
    }
}
