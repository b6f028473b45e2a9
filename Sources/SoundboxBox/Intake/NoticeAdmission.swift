import SoundboxCore

/// Decides whether a notice that was read is news: pure.
package struct NoticeAdmission: Sendable {
    /// How far a provider's clock may be ahead of a time server: more than a wrong time zone makes (14 h). Beyond that a
    /// notice would outlive the memory of its id.
    package static let greatestLead = Duration.seconds(24 * 3600)

    /// A signed notice that was paid longer ago is refused. For a younger one that is played back, the inbox still
    /// knows the id.
    package var window: Duration
    /// A retained notice that was paid longer ago is no news.
    package var retainedWindow: Duration

    package init(window: Duration, retainedWindow: Duration) {
        self.window = window
        self.retainedWindow = retainedWindow
    }

    /// What the time of a signed notice says about the clocks.
    ///
    /// - Returns: what is wrong, in words for people; `nil` when they agree well enough. That the box's own clock is behind
    ///   is ``BoxClock/fault``'s to tell.
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

    /// Whether it was paid outside of the window for certain. The clock says so when a time server has confirmed it.
    /// Otherwise only what is known for certain does: a wrong clock refuses no payment, and one that is behind lets nobody
    /// play back what the inbox has forgotten.
    private func isTooOld(_ paidAt: Timestamp, _ clock: ClockReading) -> Bool {
        clock.earliest.map { $0.duration(since: paidAt) > window } ?? false
    }

    /// - Returns: why not; `nil` when it is.
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
            // Who has the key is believed, and so is their clock, unless a time server says otherwise.
            if let now = clock.confirmed, paidAt.duration(since: now) > Self.greatestLead {
                return rejection("paid_at", "\(paidAt) is in the future; the box's clock says \(now)")
            }
        }
        guard isRetained else { return nil }
        // The broker repeats a retained notice at every connection, for years. Only what it says itself shows that it
        // is new.
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
        // Later than all that is known: where it is signed, the clock is behind and not the notice ahead.
        return age >= .zero - BoxClock.tolerance || isSigned && clock.trust < .confirmed
    }
}
