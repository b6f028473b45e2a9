import Glibc
import SoundboxCore
import SoundboxSystem

/// What follows from a connection that holds, and from one that does not.
extension FeedLoop {
    /// How an attempt to connect, or its connection, has ended. Call it before the session is dropped.
    func end(_ error: MQTTError) -> Endings.End {
        let held = subscribedSince.map { .monotonicNow - $0 } ?? .zero
        switch error {
        case .connectionLost(.disconnected(let reason)) where reason.code == BrokerReason.takenOver: return .takenOver
        case .connectionLost(.disconnected(let reason)): return .closed(after: held, instead: reason.description)
        case .connectionLost(.link(.closed)): return .closed(after: held, instead: unanswered)
        case .connectionLost(.violation(let what)) where session?.isAccepted == true: return .violation(what)
        default: return .other
        }
    }

    /// What the broker has left unanswered; `nil` for nothing.
    private var unanswered: String? {
        guard subscribedSince != nil else { return "instead of an answer to the subscriptions" }
        let topics =
            (backlog.isMarkerUnanswered ? [settings.topics[.probe]] : []) + (session?.unansweredTopics ?? [])
        guard !topics.isEmpty else { return nil }
        return "instead of an answer to what the box sends on "
            + Set(topics).sorted().map(\.quoted).joined(separator: " and ")
    }

    /// Records for how long this connection has held. One that ends at once proves nothing: two boxes with one client id
    /// evict each other, and a message that cannot be taken comes again.
    mutating func recordHeldTime() {
        guard let held = subscribedSince.map({ .monotonicNow - $0 }) else { return }
        if held >= Endings.hold, !faults.endings.isTakeOverSuspected { backoff.reset() }
        faults.endings.holds(for: held)
    }

    /// Records whether the broker answers to the marker and to signs of life.
    mutating func recordAnswers(of session: Session) {
        guard let subscribedSince else { return }
        _ = backlog.isOver(at: .monotonicNow)
        faults.saw(backlog, settings.topics)
        faults.answers(unanswered: session.unansweredPing, after: .monotonicNow - subscribedSince)
    }

    /// The session would send the marker again on the next connection.
    mutating func forgetMarker(after end: Endings.End) {
        guard let session else { return }
        backlog.withdrawMarker(from: session)
        guard backlog.isRequested else { return }
        var isLost = false
        if case .closed(let held, _) = end { isLost = held < Endings.hold && backlog.isMarkerLost }
        backlog = Backlog()
        guard markerRest.ended(isLost: isLost, at: .monotonicNow) else { return }
        faults.markerRests(settings.topics)
    }

    /// How long to wait after an attempt, or a connection, has ended.
    mutating func delay(after error: MQTTError) -> Duration {
        // Wrong settings are wrong at every address.
        if case .invalidSettings = error { return backoff.next() }
        guard subscribedSince != nil else {
            if route.hasMore { return .zero }
            // The broker is down, for all boxes at once. Any other failure is this box's own.
            guard case .unreachable(_, .system(let error)) = error, error.code == ECONNREFUSED, !backoff.isFresh else {
                return backoff.next()
            }
            return backoff.nextAfterRefusal(window: settings.reconnectWindow)
        }
        switch error {
        case .connectionLost(.link(.closed)), .connectionLost(.violation), .connectionLost(.disconnected),
            .refusedByBox:
            route.lost(silently: false)
        // A machine that is switched off, or hangs, sends nothing.
        default: route.lost(silently: true)
        }
        guard backoff.isFresh else { return backoff.next() }
        let window =
            route.hasAlternatives
            ? min(settings.reconnectWindow, MQTTSettings.longestDetour) : settings.reconnectWindow
        _ = backoff.next()
        return window * Double.random(in: 0..<1)
    }
}
