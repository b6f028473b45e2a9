import SoundboxCore

/// The panel of a board that has none: nothing to press, nothing to drive.
public final class NoPanel: Panel {
    public let edges: AsyncStream<ButtonEdge>
    public var failure: PanelError? { nil }
    private let continuation: AsyncStream<ButtonEdge>.Continuation

    public init() {
        (edges, continuation) = AsyncStream.makeStream()
    }

    deinit { close() }

    public func set(_ outputs: PanelOutputs) {}

    public func close() { continuation.finish() }
}
