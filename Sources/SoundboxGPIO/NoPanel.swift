import SoundboxCore

/// The panel of a board that has none, or whose lines cannot be had: nothing to press, nothing to drive.
public final class NoPanel: Panel {
    public let edges: AsyncStream<ButtonEdge>
    public var failure: PanelError? { nil }
    private let continuation: AsyncStream<ButtonEdge>.Continuation

    private let amplifierFailure: PanelError?

    /// - Parameter amplifierFailure: why the amplifier that the board has cannot be switched. Sound that goes into one
    ///   that is off must not count as heard, so ``setAmplifier(_:)`` throws it.
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
