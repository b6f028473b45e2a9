/// A time that a provider has signed, so that nobody can send its request again later.
struct SignedTime {
    enum Unit: String, CaseIterable {
        case seconds = "s"
        case milliseconds = "ms"
    }

    /// In seconds, either way: that of Stripe's and WeChat Pay's own libraries, and what SePay's documentation advises.
    static let tolerance: Int64 = 300

    /// As it was signed.
    let text: String
    /// Since 1970.
    private let seconds: Int64

    /// - Parameter header: its name, for the refusal.
    init(_ text: String, header: String, unit: Unit = .seconds) throws(HookRefusal) {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(text)
        else {
            throw HookRefusal(status: 400, reason: "\(header) has no time in \(unit) since 1970")
        }
        self.text = text
        seconds = unit == .seconds ? number : number / 1000
    }

    /// To be asked when the signature is right.
    func check(at now: Int64, within tolerance: Int64 = tolerance) throws(HookRefusal) {
        let age = now - seconds
        guard abs(age) > tolerance else { return }
        let distance = age > 0 ? "\(age) s ago" : "\(-age) s ahead"
        throw HookRefusal(
            status: 401,
            reason: "signed \(distance), expected at most \(tolerance) s: a repeated request, or this server's "
                + "clock is wrong")
    }
}
