import Logging
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxGateway

let trialBox = box("box-01")
let otherBox = box("box-02")

private func box(_ device: String) -> BoxID {
    guard let box = try? BoxID(merchant: "M1001", device: device) else { preconditionFailure("\(device) is a name") }
    return box
}

func notice(_ id: String, _ amount: String = "12.50", kind: PaymentNotice.Kind = .payment) throws -> PaymentNotice {
    PaymentNotice(id: try PaymentID(id), money: try Money(amount, .CNY), kind: kind)
}

extension Moment {
    /// As a file's clock begins.
    static let start = Moment(time: Timestamp(millisecondsSince1970: 1_795_000_000_000), running: .zero)
}

extension SQLitePaymentStore {
    static func temporary(_ folder: TemporaryFolder) throws -> SQLitePaymentStore {
        try SQLitePaymentStore(path: folder.file("gateway.sqlite"))
    }
}

extension PaymentStore {
    /// Accepts payments, all in one request.
    func accept(_ payments: [(box: BoxID, notice: PaymentNotice)], at now: Moment) throws(StoreError) -> [Acceptance] {
        try accept([Submission(payments)], at: now)[0].acceptances
    }

    /// Accepts payments and returns their numbers.
    @discardableResult
    func accept(_ ids: [String], of box: BoxID = trialBox, at now: Moment = .start) throws -> [Int64] {
        let outcomes = try accept(ids.map { (box, try notice($0)) }, at: now)
        #expect(outcomes == ids.map { _ in .accepted })
        let numbers = try due(at: now.running, limit: 10_000).payments
        return ids.compactMap { id in numbers.first { $0.payment.notice.id.text == id }?.number }
    }

    func state(_ id: String, of box: BoxID = trialBox) throws -> PaymentState? {
        try payment(try PaymentID(id), of: box)?.state
    }
}

extension WebhookReader {
    static func trial(_ hooks: [String: Hook]) -> WebhookReader {
        WebhookReader(hooks: hooks, decoder: PaymentNoticeDecoder(defaultCurrency: .CNY))
    }
}

extension GatewayRequestHandler {
    /// - Parameter known: what is known of boxes.
    convenience init(
        _ hooks: [String: Hook], _ store: SQLitePaymentStore,
        tokens: String = "shop 0123456789abcdef0123456789abcdef", known: [BoxID: KnownBox] = [:],
        isConnected: Bool = true, metrics: GatewayMetrics = GatewayMetrics(), logger: Logger = silence,
        commands: @escaping Commands = { _, _, _, _ in .unsent(reason: "nobody") }
    ) throws {
        self.init(
            intake: PaymentIntake(store: store) {}, lists: StoreReader(.file(store.path)),
            tokens: try AccessTokens(tokens), reader: .trial(hooks), known: { known[$0] },
            isConnected: { isConnected }, commands: commands, clock: store.clock, metrics: metrics, logger: logger)
    }
}

func logger(into lines: Journal<String>) -> Logger { Logger(label: "gateway") { _ in JournalLogHandler(lines: lines) } }

let silence = Logger(label: "silence") { _ in SwiftLogNoOpLogHandler() }

/// Writes messages with their reasons into a journal.
struct JournalLogHandler: LogHandler {
    let lines: Journal<String>
    var logLevel = Logger.Level.debug
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.append("\(event.message) reason=\(event.metadata?["reason"] ?? "none")") }
}
