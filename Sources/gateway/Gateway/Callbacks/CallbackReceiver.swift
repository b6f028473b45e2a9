import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// A server that is told what became of payments, as gateway.yaml names it:
///
///     callbacks:
///       shop:
///         url: https://shop.example/soundbox
///         secret_file: /etc/soundbox-gateway/shop.callback
///         on: [announced, failed, given_up, expired, cancelled]
package struct CallbackReceiver: Sendable {
    /// Each has threads of its own.
    static let most = 8

    package let name: String
    package let url: String
    package let states: Set<PaymentState>
    private let authorities: String?
    private let secrets: [HookSecret]

    /// All of gateway.yaml. Reads the files of secrets; blocks on the disk.
    static func all(reading value: YAMLValue) throws(YAMLError) -> [CallbackReceiver] {
        var receivers: [CallbackReceiver] = []
        for entry in try value.mapping().entries {
            receivers.append(try CallbackReceiver(entry.key, reading: entry.value))
        }
        guard receivers.count <= most else { throw value.error("expected at most \(most) receivers") }
        return receivers
    }

    private init(_ name: String, reading value: YAMLValue) throws(YAMLError) {
        guard name.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else {
            throw value.error("the receiver's name may have letters, digits, - and _")
        }
        self.name = name
        let section = try value.mapping()
        let address = try section.required("url")
        url = try address.string()
        guard Self.isAllowed(url) else {
            throw address.error("expected an address with https://, or with http:// on this machine (127.0.0.1, [::1])")
        }
        secrets = try HookSecret.all(of: section, encoding: .base64, prefix: Self.secretPrefix)
        authorities = try section.read("ca_file") { try Self.authorities(reading: $0) }
        let states = try section.required("on")
        var chosen: Set<PaymentState> = []
        for word in try states.oneOrMoreValues() {
            guard let state = CallbackEvent.states.first(where: { $0.rawValue == (try? word.string()) }) else {
                throw word.error(
                    "expected one of \(CallbackEvent.states.map(\.rawValue).joined(separator: ", "))")
            }
            chosen.insert(state)
        }
        self.states = chosen
        try section.refuseOtherKeys()
    }

    private static let secretPrefix = "whsec_"

    /// A wrong file would be seen only when the first event is sent.
    private static func authorities(reading value: YAMLValue) throws(YAMLError) -> String {
        let path = try value.path()
        let text: String
        do throws(FileError) { text = try SmallFile.read(path) } catch {
            throw value.error("\(path.shownPath) \(error.problem)")
        }
        guard text.contains("-----BEGIN CERTIFICATE-----") else {
            throw value.error("\(path.shownPath) has no certificate in PEM")
        }
        return path
    }

    /// What the body says goes unencrypted to this machine only.
    static func isAllowed(_ url: String) -> Bool {
        let match = url.wholeMatch(
            of: /(https?):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?(?:\/[!-~]*)?/)
        guard let match, !url.contains("#"), match.3.map({ UInt16($0) ?? 0 }) != 0 else { return false }
        // A number above 255 makes it a name, which may be anybody's.
        let numbers = match.2.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        let isLoopback =
            match.2 == "[::1]" || match.2 == "localhost"
            || numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
        return match.1 == "https" || isLoopback
    }

    // MARK: Sending

    /// What came of an attempt.
    enum Answer: Sendable, Equatable {
        case taken
        /// In words.
        case refused(String)
    }

    /// Sends an event, and waits for the answer: 10 s at most. Blocks.
    func send(_ callback: Callback, at time: Timestamp) -> Answer {
        var request = HTTPFetch("POST", url, limit: CallbackRules.timeout, most: CallbackRules.mostAnswerBytes)
        request.authorities = authorities
        request.body = Array(callback.body.utf8)
        request.headers =
            [
                "Content-Type: application/json", "User-Agent: soundbox-gateway/\(SoundboxVersion.current)", "Expect:",
            ] + signature(of: callback, at: time).map { "\($0): \($1)" }
        // Of another answer than 200 only the status is read.
        request.readsSuccessOnly = true
        do throws(HTTPFailure) {
            let answer = try request.answer()
            switch answer.status {
            case 200..<300: return .taken
            case 300..<400: return .refused("it answers \(answer.status): redirections are not followed")
            default: return .refused("it answers \(answer.status)")
            }
        } catch {
            switch error {
            // It said 200 before.
            case .tooLarge: return .taken
            case .timedOut: return .refused("no answer within \(CallbackRules.timeout)")
            case .cancelled: return .refused("cancelled")
            case .notReached(let reason, _), .cutOff(let reason, _): return .refused(String(reason.prefix(300)))
            }
        }
    }

    /// The headers of Standard Webhooks. While the key changes there are two signatures.
    func signature(of callback: Callback, at time: Timestamp) -> [(name: String, value: String)] {
        let seconds = time.millisecondsSince1970 / 1000
        let message = Array("\(callback.eventID).\(seconds).\(callback.body)".utf8)
        let codes = secrets.map { secret in
            "v1," + Base64.text(of: secret.bytes.withUnsafeBytes { SHA256.authenticationCode(of: message, key: $0) })
        }
        return [
            ("webhook-id", callback.eventID), ("webhook-timestamp", "\(seconds)"),
            ("webhook-signature", codes.joined(separator: " ")),
        ]
    }
}
