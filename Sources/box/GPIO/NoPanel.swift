import SoundboxCore

/// The panel of a board without one, or whose lines are not available: no buttons, no outputs. Never blocks; any
/// thread.
public final class NoPanel: Panel {
    public let edges: AsyncStream<ButtonEdge>
    public var hasOutputs: Bool { false }
    public var failure: PanelError? { nil }
    private let continuation: AsyncStream<ButtonEdge>.Continuation

    private let amplifierFailure: PanelError?

    /// - Parameter amplifierFailure: why the board's amplifier cannot be switched on. ``setAmplifier(_:)`` throws it:
    ///   sound into an amplifier that is off must not count as heard.
    public init(amplifierFailure: PanelError? = nil) {
        self.amplifierFailure = amplifierFailure
        (edges, continuation) = AsyncStream.makeStream()
    }

    deinit { close() }

    public func set(_ outputs: PanelOutputs) {}

    public func setAmplifier(_ isOn: Bool) throws(PanelError) {
        if let amplifierFailure { throw amplifierFailure }
    }

    public func close() { continuation.finish() }
}
