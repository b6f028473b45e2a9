import SoundboxCore

/// Decides whether a notice that was read is news: pure.
package struct NoticeAdmission: Sendable {
    /// How far a provider's clock may be ahead of the box's.
    package static let tolerance = Duration.seconds(300)

    /// A signed notice that was paid longer ago is refused. For a younger one that is played back, the inbox still
    /// knows the id.
    package var window: Duration
    /// A retained notice that was paid longer ago is no news.
    package var retainedWindow: Duration

    package init(window: Duration, retainedWindow: Duration) {
        self.window = window
        self.retainedWindow = retainedWindow
    }

    /// What the time of a signed notice says about the box's own clock.
    ///
    /// - Returns: what is wrong, in words for people; `nil` when the two agree well enough.
    package func clockFault(shownBy notice: PaymentNotice, now: Timestamp?) -> String? {
        guard let paidAt = notice.paidAt, let now else { return nil }
        let age = now.duration(since: paidAt)
        if age < .zero - Self.tolerance {
            return "the clock is behind: signed payments come from its future; look at the time server"
        }
        return age > window
            ? "signed payments are refused as too old; if they are not, the clock is ahead: look at the time server"
            : nil
    }

    /// - Parameter now: `nil` while the clock is not set; how old a signed notice is cannot be judged then, and the inbox
    ///   alone keeps guard.
    /// - Returns: why not; `nil` when it is.
    package func rejection(of notice: PaymentNotice, isSigned: Bool, isRetained: Bool, now: Timestamp?)
        -> NoticeRejection?
    {
        func rejection(_ field: String, _ problem: String) -> NoticeRejection {
            NoticeRejection(id: notice.id, field: field, problem: problem)
        }
        if isSigned {
            guard let paidAt = notice.paidAt else {
                return rejection("paid_at", "this field is missing, and a signed notice needs it")
            }
            // A notice from the box's future is news: who has the key is believed, and so is their clock (decision
            // 003).
            guard paidAt < BoxClock.end else {
                return rejection("paid_at", "\(paidAt) cannot be; expected when the customer paid")
            }
            if let now {
                let age = now.duration(since: paidAt)
                guard age <= window else {
                    return rejection("paid_at", "too long ago: \(paidAt) is outside of the window of \(window)")
                }
            }
        }
        guard isRetained else { return nil }
        // The broker repeats a retained notice at every connection, for years. Only what it says itself shows that it
        // is new.
        let age = now.flatMap { now in notice.paidAt.map { now.duration(since: $0) } }
        guard let age, age <= retainedWindow, age >= .zero - Self.tolerance else {
            return rejection(
                "retain",
                "the broker kept this message, and nothing in it shows that it was paid within "
                    + "\(retainedWindow); publish payments without the retain flag")
        }
        return nil
    }
}
