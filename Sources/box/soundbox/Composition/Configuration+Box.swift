import Glibc
import Logging
import ServiceLifecycle
import SoundboxBox
import SoundboxConfiguration
import SoundboxControl
import SoundboxCore
import SoundboxSetup
import SoundboxSystem
import SoundboxVoice

// What the parts of a box get from its configuration.

extension StatusReporter.Identity {
    init(_ configuration: Configuration, voices: Voices) {
        self.init(
            merchantID: configuration.merchantID, deviceID: configuration.deviceID,
            broker: configuration.broker.addresses.map(\.description).joined(separator: ", "), voice: voices.names,
            language: configuration.voice.locales[0], audioDevice: configuration.audio.device,
            configuration: configuration.settable)
    }
}

extension NoticeRules {
    /// Reads the key files. Blocks on the disk.
    init(_ configuration: Configuration) throws {
        let announcements = configuration.features.announcements
        self.init(
            reader: configuration.payments.reader(defaultCurrency: announcements.currency),
            verifier: try MessageVerifier(configuration),
            admission: NoticeAdmission(
                window: configuration.authenticity?.window ?? configuration.features.inbox.keep,
                retainedWindow: announcements.freshness.expireAfter),
            saysTexts: configuration.payments.saysTexts)
    }
}

extension ConnectionKeeper {
    /// The mark must not outlive this boot of Linux, since a power cut is no end of the program. The service has a
    /// folder in RAM for it, and may not read Linux's name of the boot (`ProcSubset=pid`); elsewhere it is the other
    /// way round.
    /// - Returns: `nil` where there is neither.
    convenience init?(in folder: String, chosen: BrokerProtocol, state: BoxState, logger: Logger) {
        let runtime = getenv("RUNTIME_DIRECTORY").map { String(cString: $0) }
        let boot = try? SmallFile.read("/proc/sys/kernel/random/boot_id").split(separator: "\n").first
        guard runtime != nil || boot != nil else { return nil }
        self.init(
            store: Remembered(StateFile.connection(in: runtime ?? folder)), boot: boot.map { String($0) } ?? "this",
            chosen: chosen, state: state, logger: logger)
    }
}

extension Configuration {
    /// The control socket, the page's, and the metrics by TCP.
    func servers(
        of routes: [ControlRoute], _ metrics: @escaping @Sendable () async -> [MetricFamily], _ logger: Logger
    ) -> [any Service] {
        var servers: [any Service] = [ControlServer(socketPath: controlSocket, routes: routes, logger: logger)]
        if let page = features.page {
            servers.append(ControlServer(socketPath: page.socket, group: page.group, routes: routes, logger: logger))
        }
        if let address = features.metrics {
            servers.append(MetricsServer(address: address, metrics: metrics, logger: logger))
        }
        return servers
    }
}

extension Configuration {
    /// `nil` if the box does not renew its certificate.
    var certificateStore: (any CertificateStore)? {
        guard let files = identityFiles else { return nil }
        // The same at every start, and evenly distributed over the boxes of a batch.
        let digest = SHA256.hash(of: Array("\(merchantID)/\(deviceID)".utf8))
        return IdentityStore(
            spread: Double(digest[0]) / 256, files: files, name: String(deviceID.unicodeScalars.prefix(16)))
    }
}

private struct IdentityStore: CertificateStore {
    let spread: Double
    let files: IdentityFiles
    /// In signing requests.
    let name: String

    func term() throws -> CertificateTerm { try files.term() }
    func request() throws -> String { try files.request(for: name) }
    func install(_ certificate: String) throws -> Bool { try files.install(certificate) }
    var isOnTrial: Bool { files.isOnTrial }
    func countStart() -> Int { files.countStart() }
    func keep() { files.keep() }
    func restore(at time: Timestamp, because reason: String) throws { try files.restore(at: time, because: reason) }
    var failure: (time: Timestamp, reason: String)? { files.failure }
}
