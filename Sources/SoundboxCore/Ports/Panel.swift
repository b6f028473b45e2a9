/// The buttons of a box. Their meaning is policy and lives elsewhere.
public enum Button: String, Sendable, Equatable, CaseIterable {
    case volumeUp = "volume_up"
    case volumeDown = "volume_down"
    case replay
}

/// A button went down or came up.
public struct ButtonEdge: Sendable, Equatable {
    public var button: Button
    public var isPressed: Bool
    /// When, on a monotonic clock whose origin is the adapter's own: only differences mean something.
    public var time: Duration

    public init(button: Button, isPressed: Bool, time: Duration) {
        self.button = button
        self.isPressed = isPressed
        self.time = time
    }
}

/// What the panel's outputs are driven to. `true` is lit or vibrating, whatever the line's polarity.
public struct PanelOutputs: Sendable, Equatable {
    public var isLit: Bool
    public var isVibrating: Bool

    public static let off = PanelOutputs(isLit: false, isVibrating: false)

    public init(isLit: Bool, isVibrating: Bool) {
        self.isLit = isLit
        self.isVibrating = isVibrating
    }
}

/// LED, vibration motor and buttons: GPIO lines, a terminal, a test's record.
public protocol Panel: Sendable {
    /// Presses and releases in the order in which they happened, from the panel's creation on. One consumer.
    /// Ends when the panel is closed, or when its buttons can no longer be read.
    var edges: AsyncStream<ButtonEdge> { get }

    /// Drives the outputs. Takes no longer than a few system calls. A panel without an LED or a motor ignores that
    /// part.
    func set(_ outputs: PanelOutputs) throws(PanelError)

    /// Switches the outputs off, releases the lines and ends ``edges``. Harmless when called twice.
    func close()
}

/// What is wrong with the panel; the box goes on without it.
public enum PanelError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No GPIO chip carries this label.
    case chipNotFound(label: String, reason: String)
    /// The chip has no line of this name.
    case lineNotFound(name: String, chip: String)
    /// The line exists but cannot be requested: another program holds it, or it cannot do what is asked.
    case lineUnavailable(name: String, chip: String, reason: String)
    /// A line that was requested failed later.
    case lineFailed(name: String, reason: String)

    public var description: String {
        switch self {
        case .chipNotFound(let label, let reason): "no GPIO chip is labelled \"\(label)\": \(reason)"
        case .lineNotFound(let name, let chip): "GPIO chip \"\(chip)\" has no line named \"\(name)\""
        case .lineUnavailable(let name, let chip, let reason):
            "GPIO line \"\(name)\" of chip \"\(chip)\" cannot be used: \(reason)"
        case .lineFailed(let name, let reason): "GPIO line \"\(name)\" failed: \(reason)"
        }
    }
}
