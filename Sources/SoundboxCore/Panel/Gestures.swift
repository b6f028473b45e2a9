/// Turns presses and releases into what the owner means by them.
///
/// | gesture | volume up, volume down | replay |
/// |---|---|---|
/// | click | one step | the last payment once more |
/// | hold | after ``holdDelay`` one more step, then one every ``repeatInterval`` | – |
///
/// A click acts when the button goes down, so that it is felt at once. A state machine without a clock: edges carry
/// their time, ``nextDeadline`` says when to call ``advance(to:)``, and every time given to it is of the clock that
/// stamped the edges. Edges are expected to be free of bounce (``Debouncer``) and may have been lost: a release
/// without a press, as from a button that was held down while the box started, means nothing; a press of a button
/// that is down already is a new press whose release was lost.
public struct Gestures: Sendable {
    public enum Action: Sendable, Equatable {
        case volumeUp
        case volumeDown
        /// Speak the payment announced last once more.
        case replay
    }

    /// How long a button is down before holding it counts.
    public static let holdDelay = Duration.milliseconds(500)
    /// The time between two repetitions: 20 steps of 5 % in four seconds.
    public static let repeatInterval = Duration.milliseconds(200)
    /// After so many repetitions, ten seconds, nobody is meaning it any more: the button is stuck, or its release
    /// was lost. It counts again with its next press.
    public static let repeatLimit = 50

    /// A button that is down and repeats.
    private struct Hold {
        var nextRepeat: Duration
        var repeatsLeft: Int
    }

    private var holds: [Button: Hold] = [:]

    public init() {}

    /// When ``advance(to:)`` has something to do; `nil` while no button is held.
    public var nextDeadline: Duration? {
        holds.values.map(\.nextRepeat).min()
    }

    /// Takes one edge, in order of time.
    /// - Returns: what to do, in order; it includes repetitions that were due before the edge.
    public mutating func handle(_ edge: ButtonEdge) -> [Action] {
        var actions = advance(to: edge.time)
        if edge.isPressed {
            actions.append(Self.action(of: edge.button))
            if Self.repeatsWhileHeld(edge.button) {
                holds[edge.button] = Hold(nextRepeat: edge.time + Self.holdDelay, repeatsLeft: Self.repeatLimit)
            }
        } else {
            holds[edge.button] = nil
        }
        return actions
    }

    /// Repeats what is held. However late it is called, each button repeats once: a box that stood still for a second
    /// must not jump to full volume afterwards.
    public mutating func advance(to now: Duration) -> [Action] {
        var actions: [Action] = []
        for button in Button.allCases {
            guard var hold = holds[button], hold.nextRepeat <= now else { continue }
            actions.append(Self.action(of: button))
            hold.nextRepeat = now + Self.repeatInterval
            hold.repeatsLeft -= 1
            holds[button] = hold.repeatsLeft > 0 ? hold : nil
        }
        return actions
    }

    private static func action(of button: Button) -> Action {
        switch button {
        case .volumeUp: .volumeUp
        case .volumeDown: .volumeDown
        case .replay: .replay
        }
    }

    private static func repeatsWhileHeld(_ button: Button) -> Bool {
        switch button {
        case .volumeUp, .volumeDown: true
        case .replay: false
        }
    }
}
