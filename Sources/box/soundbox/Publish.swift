import ArgumentParser
import Glibc
import SoundboxBox
import SoundboxCommandLine
import SoundboxConfiguration
import SoundboxCore
import SoundboxMQTT
import SoundboxSetup
import SoundboxSystem

struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Send payment notices to the configured box, as a provider would.",
        discussion: """
            Returns when the broker has every message; with --wait, when the box has spoken (or refused) each of them, \
            and prints the receipts.

              soundbox publish 123.45 --channel alipay --wait
              soundbox publish 1 2 3 4 5                five payments at once

            For a box with a key the notices are signed with it, which takes the right to read the key's file.
            """)

    @Argument(help: "Plain digits, such as 123.45; several are sent at once.")
    var amounts: [String] = []

    @Option(help: "The payment's id; otherwise a new one. With one AMOUNT only.")
    var id: String?

    @Option(help: ArgumentHelp("A code of ISO 4217; otherwise the box's own currency.", valueName: "code"))
    var currency: String?

    @Option(help: "How it was paid: alipay, wechat …")
    var channel: String?

    @Flag(help: "Money that was paid back.")
    var refund = false

    @Option(
        help: ArgumentHelp("Send these bytes instead of a notice, to see how the box takes them.", valueName: "text"))
    var payload: String?

    @Flag(help: "Wait for the box's receipts and print them.")
    var wait = false

    @Option(help: ArgumentHelp("How long to wait at most, in seconds.", valueName: "seconds"))
    var timeout = 60

    @OptionGroup var configuration: ConfigurationOptions

    func validate() throws {
        guard amounts.isEmpty != (payload == nil) else { throw ValidationError("Give either AMOUNT or --payload.") }
        guard id == nil || amounts.count == 1 else { throw ValidationError("--id goes with exactly one AMOUNT.") }
        guard timeout > 0 else { throw ValidationError("--timeout is a number of seconds greater than 0.") }
        for amount in amounts {
            do { _ = try DecimalNumber(amount) } catch { throw ValidationError("AMOUNT \"\(amount)\": \(error).") }
        }
    }

    func run() async throws {
        let settings = try configuration.read()
        let publisher = MQTTPublisher(settings: try MQTTSettings(settings))
        let signer = payload == nil ? try MessageSigner(settings) : nil
        let payloads = payload.map { [Array($0.utf8)] } ?? amounts.enumerated().map { notice($0, $1, signer) }
        let reader = settings.payments.reader(defaultCurrency: settings.features.announcements.currency)
        try await onOwnThread(named: "publish") { [wait, timeout] in
            var awaited = AwaitedReceipts(of: payloads, reader)
            guard wait else {
                try publisher.publish(payloads, timeout: .seconds(timeout))
                return
            }
            try publisher.publish(payloads, timeout: .seconds(timeout)) { payload in
                guard let receipt = awaited.record(payload) else { return false }
                printLine(receipt.text)
                return awaited.isComplete
            }
        }
    }

    private func notice(_ index: Int, _ amount: String, _ signer: MessageSigner?) -> [UInt8] {
        var members: [(name: String, value: JSONValue)] = [
            ("id", .string(id ?? Self.newID(index))), ("amount", .string(amount)),
        ]
        if let currency { members.append(("currency", .string(currency))) }
        if let channel { members.append(("channel", .string(channel))) }
        if refund { members.append(("kind", .string("refund"))) }
        guard let signer else { return JSONValue.object(members).bytes }
        let now = Timestamp(millisecondsSince1970: Int64(time(nil)) * 1000)
        return signer.payload(members + [("paid_at", .string(now.description))])
    }

    private static func newID(_ index: Int) -> String {
        "trial-\(time(nil))-\(String(UInt32.random(in: .min ... .max), radix: 36))-\(index + 1)"
    }
}

/// The sent messages without a final receipt.
struct AwaitedReceipts {
    /// The ids of the messages; `nil` for an unreadable id.
    private var ids: [PaymentID?]

    /// - Parameter reader: the same as the box's.
    init(of payloads: [[UInt8]], _ reader: NoticeReader) {
        ids = payloads.flatMap { payload -> [PaymentID?] in
            do throws(NoticeRejection) {
                return try reader.read(payload).map { read in
                    switch read {
                    case .notice(let notice, _): notice.id
                    case .refused(let rejection): rejection.id
                    case .ignored, .ignoredByAbsence: nil
                    }
                }
            } catch { return [error.id] }
        }
    }

    var isComplete: Bool { ids.isEmpty }

    /// Records a receipt.
    /// - Returns: the receipt; `nil` if it is not about one of the messages.
    mutating func record(_ payload: [UInt8]) -> JSONValue? {
        guard let receipt = try? JSONValue(parsing: payload),
            let index = ids.firstIndex(of: PaymentID(receipt: receipt))
        else {
            return nil
        }
        // Another receipt follows `stored`; every other state is final.
        if receipt["state"]?.string != Receipt.State.stored.rawValue { ids.remove(at: index) }
        return receipt
    }
}
