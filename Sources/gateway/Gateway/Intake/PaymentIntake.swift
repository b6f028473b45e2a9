import SoundboxCore
import SoundboxSystem

/// Stores payments as they are posted. Requests that come while a commit is being written share the next one.
///
///     let outcome = try await intake.accept(notice, for: box, from: "shop")
package actor PaymentIntake {
    private let executor = ThreadExecutor(name: "store")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private typealias Answer = CheckedContinuation<Result<SubmissionOutcome, StoreError>, Never>

    private let store: any PaymentStore
    private let stored: @Sendable () -> Void
    private var waiting: [Submission] = []
    private var answers: [Answer] = []
    /// Until when the answer of ``canStore()`` holds, by the monotonic clock.
    private var health: (canStore: Bool, until: Duration)?

    /// - Parameter stored: called after each commit that has stored something new.
    package init(store: any PaymentStore, stored: @escaping @Sendable () -> Void) {
        self.store = store
        self.stored = stored
    }

    /// Returns when the payment is on the disk.
    ///
    /// - Throws: why it is not; then nothing of it is.
    /// - Parameter token: the name of the access token.
    package func accept(
        _ notice: PaymentNotice, for box: BoxID, from token: String
    ) async throws(StoreError) -> Acceptance {
        try await accept(Submission([(box, notice)], token: token)).acceptances[0]
    }

    /// Returns when all of it is on the disk: in one commit.
    ///
    /// - Throws: why it is not; then nothing of it is.
    package func accept(_ submission: Submission) async throws(StoreError) -> SubmissionOutcome {
        let result = await withCheckedContinuation { (answer: Answer) in
            waiting.append(submission)
            answers.append(answer)
            // Runs behind the requests that wait for this thread already.
            if answers.count == 1 { Task(executorPreference: executor) { await self.commit() } }
        }
        return try result.get()
    }

    private func commit() {
        let (submissions, answers) = (waiting, answers)
        (waiting, self.answers) = ([], [])
        do throws(StoreError) {
            let outcomes = try store.accept(submissions, at: store.clock.now)
            health = nil
            for (answer, outcome) in zip(answers, outcomes) { answer.resume(returning: .success(outcome)) }
            if outcomes.contains(where: { $0.acceptances.contains(.accepted) }) { stored() }
        } catch {
            // A smaller commit may still find room.
            health = (false, .monotonicNow + Self.failureHolds)
            for answer in answers { answer.resume(returning: .failure(error)) }
        }
    }

    /// The state of a payment, and of a box's; on this thread, since it blocks on the disk.
    package func payment(_ id: PaymentID, of box: BoxID) throws(StoreError) -> StoredPayment? {
        try store.payment(id, of: box)
    }

    private static let answerHolds = Duration.seconds(5)
    private static let failureHolds = Duration.seconds(30)

    /// Whether a payment can be stored, found out by a commit. Seldom, since anybody may ask.
    package func canStore() -> Bool {
        if let health, health.until > .monotonicNow { return health.canStore }
        let canStore = (try? store.saveTime()) != nil
        health = (canStore, .monotonicNow + Self.answerHolds)
        return canStore
    }

    /// Returns when the thread has come to it.
    package func isAlive() {}
}
