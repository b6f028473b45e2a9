import Logging
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// Stores the box's certificate. Everything may block on the disk.
package protocol CertificateStore: Sendable {
    /// A fixed value of this box, 0 up to 1: see ``CertificateTerm/renewal(spread:)``.
    var spread: Double { get }
    func term() throws -> CertificateTerm
    /// Makes a signing request for the next certificate, in PEM.
    func request() throws -> String
    /// - Returns: whether it differs from the current one.
    func install(_ certificate: String) throws -> Bool
    /// Whether the broker has not yet accepted the current certificate.
    var isOnTrial: Bool { get }
    /// Counts a start with the certificate on trial. Returns the count, this start included.
    func countStart() -> Int
    func keep()
    func restore(at time: Timestamp, because reason: String) throws
    /// When and why the last new certificate was given up.
    var failure: (time: Timestamp, reason: String)? { get }
}

/// Renews the box's certificate: publishes a request in the status when it is due, installs the answer, ends the box so
/// that it is made again with the new certificate, and restores the old one if the box does not come online with it.
package actor CertificateService: EndingService, Feature, TrialOwner {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// How often the term is checked.
    private static let interval = Duration.seconds(3600)
    /// How many times a box is started with a new certificate before it is online, after crashes or power cuts.
    static let mostStarts = 3
    /// How long after a failed certificate the next request waits.
    static let rest = Duration.seconds(24 * 3600)

    private let store: any CertificateStore
    private let state: BoxState
    private let clock: BoxClock
    private let logger: Logger
    private let trial: Trial
    /// The current request, kept so that the status does not change.
    private var pending: String?
    private var hasChanged = false

    package var ending: BoxEnding? { hasChanged ? .remade : nil }

    /// - Parameters:
    ///   - executor: a thread that may block.
    ///   - timeout: how long the box may take to come online with a new certificate.
    package init(
        store: any CertificateStore, state: BoxState, clock: BoxClock, logger: Logger, executor: ThreadExecutor,
        timeout: Duration = Trial.timeout
    ) {
        self.store = store
        self.state = state
        self.clock = clock
        self.logger = logger
        self.executor = executor
        trial = Trial(state: state, timeout: timeout)
    }

    /// Takes a certificate, in PEM. For one thread at a time, the feed's. Blocks on the disk.
    /// - Returns: why it is refused; `nil` if it is taken now or was taken before.
    package nonisolated func apply(_ certificate: String) -> String? {
        do {
            guard try store.install(certificate) else { return nil }
        } catch { return "certificate: \(error)" }
        logger.notice("a new certificate has come")
        trial.begin()
        return nil
    }

    /// Returns when the box must be made again, or at shutdown.
    package func run() async {
        let isOnTrial = store.isOnTrial
        // Somebody may restart a box because it is offline. After several starts, go back to the old certificate.
        let starts = isOnTrial ? store.countStart() : 0
        if starts > Self.mostStarts,
            restore(because: "the box was started \(starts - 1) times with it, and was not online")
        {
            hasChanged = true
            return
        }
        checkTerm()
        await withDiscardingTaskGroup { group in
            group.addTask { while (try? await Task.sleep(for: Self.interval)) != nil { await self.checkTerm() } }
            hasChanged = await trial.run(for: self, isOnTrial: isOnTrial)
            group.cancelAll()
        }
    }

    func putInForce() {
        guard store.isOnTrial else { return }
        store.keep()
        guard !store.isOnTrial else {
            return logger.error("the new certificate cannot be kept; it is tried again")
        }
        logger.notice("the new certificate is in force")
        checkTerm()
    }

    func giveUp() -> Bool {
        guard store.isOnTrial else { return false }
        return restore(
            because: "the box was not online with the new certificate within \(trial.timeout.components.seconds) s")
    }

    /// - Returns: whether the old certificate is in force again.
    private func restore(because reason: String) -> Bool {
        do { try store.restore(at: clock.now, because: reason) } catch {
            logger.error("the certificate before cannot be restored", metadata: ["reason": "\(error)"])
            return false
        }
        logger.error("the new certificate was not kept", metadata: ["reason": "\(reason)"])
        return true
    }

    private func checkTerm() {
        let term: CertificateTerm
        do { term = try store.term() } catch {
            state.update { $0.certificateFault = "the box's certificate cannot be read: \(error)" }
            return
        }
        let now = clock.now
        let failure = store.failure
        var status = CertificateStatus(end: term.end, problem: failure?.reason)
        // A time in the future was written by a wrong clock.
        let rests = failure.map { (.zero..<Self.rest).contains(now.duration(since: $0.time)) } ?? false
        if now >= term.renewal(spread: store.spread), !rests, !store.isOnTrial {
            do { status.request = try request() } catch {
                status.problem = "a new certificate cannot be asked for: \(error)"
            }
        }
        if status.request != nil, state.snapshot.certificate?.request == nil {
            logger.notice("a new certificate is asked for", metadata: ["not_after": "\(term.end)"])
        }
        let fault =
            now < term.alarm
            ? nil : "the box's certificate ends at \(term.end), and no new one has come; look at its issuer"
        state.update { ($0.certificate, $0.certificateFault) = (status, fault) }
    }

    private func request() throws -> String {
        if let pending { return pending }
        let request = try store.request()
        pending = request
        return request
    }
}

extension CertificateService {
    init(in box: BoxContext, _ store: any CertificateStore) {
        self.init(store: store, state: box.state, clock: box.clock, logger: box.logger, executor: box.files)
    }

    nonisolated func fill(_ status: inout BoxStatus) { status.certificate = state.snapshot.certificate }
}

// MARK: Settings

/// For a box that renews its own certificate: `enrolment:`.
package struct CertificateSettings: Sendable, Equatable {
    /// PEM of the authority that issues the box's certificate.
    package var issuerFile: String

    init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        issuerFile = try mapping.required("issuer_file").path()
        try mapping.refuseOtherKeys()
    }
}
