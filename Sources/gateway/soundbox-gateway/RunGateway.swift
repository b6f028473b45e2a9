import ArgumentParser
import Logging
import ServiceLifecycle
import SoundboxGateway
import SoundboxLogging
import UnixSignals

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
        let gateway = try GatewayService(
            configuration: try GatewayConfiguration(readingFile: configuration.config), logger: logger)
        let group = ServiceGroupConfiguration(
            services: try [ReloadService(hangUps: hangUps, gateway: gateway)] + gateway.services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
        try await ServiceGroup(configuration: group).run()
        try gateway.saveTime()
        logger.info("stopped")
    }
}

private struct ReloadService: Service {
    let hangUps: UnixSignalsSequence
    let gateway: GatewayService

    func run() async {
        for await _ in hangUps.cancelOnGracefulShutdown() { gateway.reload() }
    }
}
