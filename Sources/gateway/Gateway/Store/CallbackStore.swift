import SoundboxCore

/// The events that receivers have not taken yet. They are stored with what they tell: in the commit that ends a payment.
package protocol CallbackStore: Sendable {
    /// Goes on from the last commit.
    var clock: GatewayClock { get }

    /// What is to be sent to a receiver, what has waited longest first.
    ///
    /// - Parameter now: ``Moment/running``.
    func dueCallbacks(of receiver: String, at now: Duration, limit: Int) throws(StoreError) -> [Callback]

    /// Stores what came of attempts, in one commit. What was taken is deleted.
    func record(_ results: [CallbackResult], at now: Moment) throws(StoreError)

    /// Gives up those that were made before a time (``Moment/running``), at most `limit`.
    ///
    /// - Returns: how many, by receiver.
    func giveUpCallbacks(before time: Duration, limit: Int, at now: Moment) throws(StoreError) -> [String: Int]

    /// Has those sent again that were given up: as if they were new, for another three days.
    ///
    /// - Parameter numbers: which; all without them.
    /// - Returns: the numbers of those that are.
    func resendCallbacks(_ numbers: [Int64], at now: Moment) throws(StoreError) -> [Int64]

    /// All that wait or were given up, oldest first, in pages.
    ///
    /// - Parameter number: of the last one of the page before; 0 for the first page.
    func callbacks(after number: Int64, limit: Int) throws(StoreError) -> [Callback]

    /// What waits, by receiver.
    func callbackBacklogs() throws(StoreError) -> [String: CallbackBacklog]
}

/// What came of an attempt to send a callback.
package struct CallbackResult: Sendable, Equatable {
    package var number: Int64
    package var outcome: Outcome

    package enum Outcome: Sendable, Equatable {
        case taken
        /// With the reason in words. Sent again then, as ``Moment/running``, unless it was given up meanwhile.
        case refused(String, again: Duration)
    }
}

/// What waits for a receiver.
package struct CallbackBacklog: Sendable, Equatable {
    package var count: Int
    /// When the oldest was made, as ``Moment/running``.
    package var oldest: Duration
}
