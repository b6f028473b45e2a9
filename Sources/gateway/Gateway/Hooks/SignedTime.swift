/// A time that a provider has signed, so that nobody can send its request again later.
struct SignedTime {
    /// In seconds, either way: that of Stripe's and WeChat Pay's own libraries, and what SePay's documentation advises.
    static let tolerance: Int64 = 300

    /// As it was signed.
    let text: String
    /// Since 1970.
    private let seconds: Int64

    /// - Parameter header: its name, for the refusal.
    init(_ text: some StringProtocol, header: String) throws(HookRefusal) {
        guard (1...12).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let seconds = Int64(text)
        else { throw HookRefusal(status: 400, reason: "\(header) has no time in seconds since 1970") }
        self.text = String(text)
        self.seconds = seconds
    }

    /// To be asked when the signature is right.
    func check(at now: Int64) throws(HookRefusal) {
        let age = now - seconds
        guard abs(age) > Self.tolerance else { return }
        let distance = age > 0 ? "\(age) s ago" : "\(-age) s ahead"
        throw HookRefusal(
            status: 401,
            reason: "signed \(distance), expected at most \(Self.tolerance) s: a repeated request, or this server's "
                + "clock is wrong")
    }
}
