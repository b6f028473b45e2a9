import SoundboxCore
import SoundboxSpeech
import Synchronization

/// Holds what the announcer has been told and has not handled yet. Its size is bounded, however often it is told.
///
/// Of the requests from outside only the last counts, and of prompts the last of each concern, which is all that
/// ``Announcer`` would make of them anyway. What the announcer tells itself is never more than it has asked for.
package final class AnnouncerEvents: AsyncSequence, Sendable {
    private struct Pending {
        var somethingMayWait = false
        var prompts = PromptQueue()
        /// In order, each once.
        var withdrawnPrompts: [Prompt] = []
        var request: Announcer.Request?
        /// A request of its own: it takes no other one's place, and none takes its.
        var code: Announcer.AskedCode?
        var endedDay: BusinessDay?
        var stopIsRequested = false
        var isHeld: Bool?
        var lookIsDue = false
        /// In order.
        var answers: [Announcer.Event] = []

        mutating func put(_ event: Announcer.Event) {
            switch event {
            case .somethingMayWait: somethingMayWait = true
            case .promptRequested(let prompt):
                prompts.put(prompt)
                withdrawnPrompts.removeAll { $0 == prompt }
            case .promptWithdrawn(let prompt):
                prompts.withdraw(prompt)
                // The announcer may have taken it already.
                if !withdrawnPrompts.contains(prompt) { withdrawnPrompts.append(prompt) }
            case .requested(.signInCode(let code)): self.code = code
            case .requested(let request): self.request = request
            case .dayEnded(let day): endedDay = day
            case .stopRequested: stopIsRequested = true
            case .held(let isHeld): self.isHeld = isHeld
            case .lookDue: lookIsDue = true
            default: answers.append(event)
            }
        }

        /// Answers come late: a request to stop is heard before the next announcement begins. A look is for when there
        /// is nothing else.
        mutating func take() -> Announcer.Event? {
            if stopIsRequested {
                stopIsRequested = false
                return .stopRequested
            }
            // Before what it keeps from beginning.
            if let isHeld {
                self.isHeld = nil
                return .held(isHeld)
            }
            if somethingMayWait {
                somethingMayWait = false
                return .somethingMayWait
            }
            if !withdrawnPrompts.isEmpty { return .promptWithdrawn(withdrawnPrompts.removeFirst()) }
            if let prompt = prompts.take() { return .promptRequested(prompt) }
            if let request = request.take() { return .requested(request) }
            if let code = code.take() { return .requested(.signInCode(code)) }
            if let day = endedDay.take() { return .dayEnded(day) }
            if !answers.isEmpty { return answers.removeFirst() }
            guard lookIsDue else { return nil }
            lookIsDue = false
            return .lookDue
        }
    }

    private let pending = Mutex(Pending())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    package init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Never blocks; any thread.
    func yield(_ event: Announcer.Event) {
        pending.withLock { $0.put(event) }
        signal.yield()
    }

    /// Never blocks; any thread.
    func say(_ prompt: Prompt) { yield(.promptRequested(prompt)) }

    /// Takes a prompt back that has not begun to sound. Never blocks; any thread.
    func withdraw(_ prompt: Prompt) { yield(.promptWithdrawn(prompt)) }

    /// Has a day's takings told. Never blocks; any thread.
    func tell(_ day: BusinessDay) { yield(.dayEnded(day)) }

    /// Never blocks; any thread.
    func play(_ request: Announcer.Request) { yield(.requested(request)) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let events: AnnouncerEvents
        fileprivate var signals: AsyncStream<Void>.Iterator

        /// `nil` when the task is cancelled.
        package mutating func next(isolation actor: isolated (any Actor)?) async -> Announcer.Event? {
            while true {
                if Task.isCancelled { return nil }
                if let event = events.pending.withLock({ $0.take() }) { return event }
                guard await signals.next(isolation: actor) != nil else { return nil }
            }
        }
    }

    /// For one loop only.
    package func makeAsyncIterator() -> Iterator { Iterator(events: self, signals: signals.makeAsyncIterator()) }
}
