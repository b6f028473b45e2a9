import SoundboxCore

/// Decides whether a notice is recent enough to announce. Pure:
///
///     let admission = NoticeAdmission(window: .seconds(3600), retainedWindow: .seconds(600))
///     if let rejection = admission.rejection(of: notice, isSigned: true, isRetained: false, clock.reading) {
///         return .rejection(rejection)
///     }
package struct NoticeAdmission: Sendable {
    /// How far a provider's clock may be ahead of a time server: more than the error of a wrong time zone (14 h). A
    /// notice further ahead would outlive the memory of its id.
    package static let greatestLead = Duration.seconds(24 * 3600)

    /// A signed notice that was paid longer ago is refused. For a more recent one that is replayed, the inbox still
    /// knows the id.
    package var window: Duration
    /// A retained notice that was paid longer ago is refused.
    package var retainedWindow: Duration

    package init(window: Duration, retainedWindow: Duration) {
        self.window = window
        self.retainedWindow = retainedWindow
    }

    /// Compares the time of a signed notice with the clock.
    ///
    /// - Returns: what is wrong, in words for people; `nil` if they agree. ``BoxClock/fault`` reports a clock that is
    ///   behind.
    package func clockFault(shownBy notice: PaymentNotice, _ clock: ClockReading) -> String? {
        guard let paidAt = notice.paidAt else { return nil }
        if let now = clock.confirmed, paidAt.duration(since: now) > BoxClock.tolerance {
            return
                "signed payments come from the future, though the clock follows a time server: the provider's clock is "
                + "ahead, or the time server is wrong"
        }
        return isTooOld(paidAt, clock)
            ? "signed payments are refused as too old; if they are not, the clock is ahead: look at the time server"
            : nil
    }

    /// Whether it was certainly paid outside of the window. A confirmed clock decides. Otherwise only the earliest
    /// possible time does: a wrong clock refuses no payment, and with a clock that is behind, a forgotten payment
    /// cannot be replayed.
    private func isTooOld(_ paidAt: Timestamp, _ clock: ClockReading) -> Bool {
        clock.earliest.map { $0.duration(since: paidAt) > window } ?? false
    }

    /// - Returns: why it is refused; `nil` if it is admitted.
    package func rejection(of notice: PaymentNotice, isSigned: Bool, isRetained: Bool, _ clock: ClockReading)
        -> NoticeRejection?
    {
        func rejection(_ field: String, _ problem: String) -> NoticeRejection {
            NoticeRejection(id: notice.id, field: field, problem: problem)
        }
        if isSigned {
            guard let paidAt = notice.paidAt else {
                return rejection("paid_at", "this field is missing, and a signed notice needs it")
            }
            guard paidAt < BoxClock.end else {
                return rejection("paid_at", "\(paidAt) cannot be; expected when the customer paid")
            }
            guard !isTooOld(paidAt, clock) else {
                return rejection("paid_at", "too long ago: \(paidAt) is outside of the window of \(window)")
            }
            // The time of a signed notice is believed, unless a time server contradicts it.
            if let now = clock.confirmed, paidAt.duration(since: now) > Self.greatestLead {
                return rejection("paid_at", "\(paidAt) is in the future; the box's clock says \(now)")
            }
        }
        guard isRetained else { return nil }
        // The broker repeats a retained notice at every connection, for years. Only its own time shows that it is
        // recent.
        guard let paidAt = notice.paidAt, isNews(retained: paidAt, isSigned: isSigned, clock) else {
            return rejection(
                "retain",
                "the broker kept this message, and nothing in it shows that it was paid within "
                    + "\(retainedWindow); publish payments without the retain flag")
        }
        return nil
    }

    private func isNews(retained paidAt: Timestamp, isSigned: Bool, _ clock: ClockReading) -> Bool {
        guard let now = clock.believed else { return false }
        let age = now.duration(since: paidAt)
        guard age <= retainedWindow else { return false }
        // Later than the clock: if it is signed, the clock is behind and the notice is not ahead.
        return age >= .zero - BoxClock.tolerance || isSigned && clock.trust < .confirmed
    }
}
