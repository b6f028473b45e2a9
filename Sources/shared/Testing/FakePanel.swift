import SoundboxCore
import Synchronization

/// A panel in memory: tests press its buttons and read its outputs.
///
///     panel.click(.replay, at: .zero)
///     #expect(panel.driven.last?.isLit == true)
///
/// Any thread; never blocks.
public final class FakePanel: Panel {
    private struct State {
        var driven: [PanelOutputs] = []
        var lines: [String?] = []
        var amplifier: [Bool] = []
        var outputFailure: PanelError?
        var buttonFailure: PanelError?
        var isClosed = false

        mutating func switchAmplifier(_ isOn: Bool) {
            if amplifier.last ?? false != isOn { amplifier.append(isOn) }
        }
    }

    public let edges: AsyncStream<ButtonEdge>
    public let hasOutputs: Bool
    public let hasScreen: Bool
    private let continuation: AsyncStream<ButtonEdge>.Continuation
    private let state = Mutex(State())

    /// - Parameters:
    ///   - hasOutputs: whether there is a light or a motor.
    ///   - hasScreen: whether a line can be shown.
    public init(hasOutputs: Bool = true, hasScreen: Bool = false) {
        self.hasOutputs = hasOutputs
        self.hasScreen = hasScreen
        (edges, continuation) = AsyncStream.makeStream()
    }

    deinit { continuation.finish() }

    /// The states of the outputs, oldest first; the last is off once the panel is closed.
    public var driven: [PanelOutputs] { state.withLock(\.driven) }

    /// The lines that were shown, oldest first.
    public var lines: [String?] { state.withLock(\.lines) }

    /// The changes of the amplifier's switch, oldest first; empty until it is switched on.
    public var amplifierChanges: [Bool] { state.withLock(\.amplifier) }

    public var isAmplifierOn: Bool { amplifierChanges.last ?? false }

    public var isClosed: Bool { state.withLock(\.isClosed) }

    /// Makes ``set(_:)`` and ``setAmplifier(_:)`` throw this from now on; `nil` ends it.
    public func fail(with failure: PanelError?) {
        state.withLock { $0.outputFailure = failure }
    }

    public var failure: PanelError? { state.withLock(\.buttonFailure) }

    /// Ends the edges, like buttons that can no longer be read.
    public func failButtons(with failure: PanelError) {
        state.withLock { $0.buttonFailure = failure }
        continuation.finish()
    }

    /// Delivers one edge; does nothing once the panel is closed.
    public func deliver(_ edge: ButtonEdge) {
        continuation.yield(edge)
    }

    /// Presses a button at `time` and releases it `duration` later. Delivers both edges at once.
    public func click(_ button: Button, at time: Duration, for duration: Duration = .milliseconds(80)) {
        deliver(ButtonEdge(button: button, isPressed: true, time: time))
        deliver(ButtonEdge(button: button, isPressed: false, time: time + duration))
    }

    public func set(_ outputs: PanelOutputs) throws(PanelError) {
        try state.withLock { state throws(PanelError) in
            guard !state.isClosed else { return }
            if let failure = state.outputFailure { throw failure }
            state.driven.append(outputs)
        }
    }

    public func show(_ line: String?) {
        state.withLock { state in
            if !state.isClosed { state.lines.append(line) }
        }
    }

    public func setAmplifier(_ isOn: Bool) throws(PanelError) {
        try state.withLock { state throws(PanelError) in
            guard !state.isClosed else { return }
            if let failure = state.outputFailure { throw failure }
            state.switchAmplifier(isOn)
        }
    }

    public func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            state.driven.append(.off)
            state.switchAmplifier(false)
        }
        continuation.finish()
    }
}
