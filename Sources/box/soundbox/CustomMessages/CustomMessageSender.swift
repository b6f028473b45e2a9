import ArgumentParser
import Glibc
import SoundboxBox
import SoundboxCommandLine
import SoundboxConfiguration
import SoundboxCore
import SoundboxMQTT
import SoundboxSetup
import SoundboxSystem

/// Sends one command to the configured box, like a provider.
struct CustomMessageSender: ParsableArguments {
    @Option(help: "The command's id; otherwise a new one.")
    var id: String?

    @Flag(help: "Wait for the box's reply and receipts and print them.")
    var wait = false

    @OptionGroup var configuration: ConfigurationOptions

    func validate() throws {
        guard let id else { return }
        do { _ = try CommandID(id) } catch { throw ValidationError("--id: \(error).") }
    }

    /// Sends a command with these members, an id and a time.
    /// - Parameters:
    ///   - timeout: for connection, acknowledgement and receipts together.
    ///   - awaited: the receipts to wait for, if not those of this command.
    /// - Throws: ``ExitCode/failure`` if it did not end as requested.
    func send(
        _ members: [(name: String, value: JSONValue)], timeout: Duration, awaiting awaited: CustomMessageReceipts? = nil
    ) async throws {
        let settings = try configuration.read()
        let publisher = MQTTPublisher(settings: try MQTTSettings(settings))
        let id = id ?? Self.newID()
        let now = Timestamp(millisecondsSince1970: Int64(time(nil)) * 1000)
        let members = [("id", .string(id)), ("at", .string(now.description))] + members
        let payload =
            try MessageSigner(settings, topic: .commands)?.payload(members) ?? JSONValue.object(members).bytes
        var receipts = awaited ?? CustomMessageReceipts(of: nil)
        receipts.command = id
        let first = receipts
        let isGood = try await onOwnThread(named: "publish") { [wait] in
            guard wait else {
                try publisher.publish([payload], to: .commands, timeout: timeout)
                return true
            }
            var receipts = first
            try publisher.publish([payload], to: .commands, timeout: timeout, answers: [.replies, .receipts]) {
                payload in
                guard let receipt = receipts.record(payload) else { return false }
                printLine(receipt.text)
                return receipts.isComplete
            }
            return receipts.isGood
        }
        if !isGood { throw ExitCode.failure }
    }

    private static func newID() -> String {
        "trial-\(time(nil))-\(String(UInt32.random(in: .min ... .max), radix: 36))"
    }
}

/// The receipts and replies of one command, and of its cancel target.
struct CustomMessageReceipts: Sendable {
    /// The id of the command. Its reply says whether it was accepted; its receipts report the custom message.
    var command = ""
    /// The target of a cancel.
    let target: CancelTarget?
    private var end: Receipt.State?

    init(of target: CancelTarget?) { self.target = target }

    var isComplete: Bool { end != nil }

    /// Whether it ended as requested.
    var isGood: Bool {
        switch end {
        case .answered, .spoken, .cancelled: true
        // `ok` is success for a cancel that arrives before its target. A ring or sentence with a known id is not played
        // again.
        case .ok: target != nil
        case .stored, .duplicate, .announced, .expired, .rejected, .missed, .failed, .refused, .unknown, nil: false
        }
    }

    /// Records a receipt or a reply.
    /// - Returns: the receipt; `nil` if it is not about this command.
    mutating func record(_ payload: [UInt8]) -> JSONValue? {
        guard let receipt = try? JSONValue(parsing: payload),
            let state = (receipt["result"] ?? receipt["state"])?.string.flatMap(Receipt.State.init),
            isOwn(receipt) || isOfTarget(receipt) && state != .stored
        else { return nil }
        switch state {
        case .stored: break
        // Without a reason, receipts follow.
        case .ok where receipt["reason"] == nil: break
        default: end = state
        }
        return receipt
    }

    private func isOwn(_ receipt: JSONValue) -> Bool { receipt["command"]?.string == command }

    private func isOfTarget(_ receipt: JSONValue) -> Bool {
        switch target {
        case .payment(let id)?: PaymentID(receipt: receipt) == id
        case .customMessage(let id)?: receipt["command"]?.string == id.text
        case nil: false
        }
    }
}

/// The content of a ring or a sentence.
struct CustomMessageContent: ParsableArguments {
    @Argument(help: "A sentence in the voice's language, of at most 200 characters.")
    var text: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Phrases that the voice has recordings for, in order.", valueName: "phrase"))
    var segments: [String] = []

    @Option(
        help: ArgumentHelp(
            "A recording from one of clips.hosts. TEXT beside it is said if the recording cannot be had.",
            valueName: "url"))
    var clip: String?

    @Option(help: ArgumentHelp("The SHA-256 of the recording's file, 64 hexadecimal digits.", valueName: "digits"))
    var sha256: String?

    @Option(help: ArgumentHelp("A kind that the voice has words for.", valueName: "name"))
    var kind: String?

    @Option(help: ArgumentHelp("The number that the words of the kind have a place for.", valueName: "number"))
    var number: Int64?

    func validate() throws {
        guard (clip == nil) == (sha256 == nil) else { throw ValidationError("--clip and --sha256 go together.") }
    }

    var members: [(name: String, value: JSONValue)] {
        var members: [(name: String, value: JSONValue)] = []
        if let text { members.append(("text", .string(text))) }
        if !segments.isEmpty { members.append(("segments", .array(segments.map { .string($0) }))) }
        if let clip, let sha256 {
            members.append(("clip", .object([("url", .string(clip)), ("sha256", .string(sha256))])))
        }
        if let kind { members.append(("kind", .string(kind))) }
        if let number { members.append(("number", .integer(number))) }
        return members
    }

    /// Checks a command with the box's decoder before it is sent.
    static func check(_ members: [(name: String, value: JSONValue)]) throws {
        let head: [(name: String, value: JSONValue)] = [
            ("id", .string("trial")), ("at", .string("2026-01-01T00:00:00Z")),
        ]
        do { _ = try CustomMessage(decoding: .object(head + members)) } catch { throw ValidationError("\(error).") }
    }
}
