/// The buttons of a box. What they do is in ``GestureMap``.
public enum Button: String, Sendable, Equatable, CaseIterable {
    case volumeUp = "volume_up"
    case volumeDown = "volume_down"
    case replay
}

/// A button went down or came up.
public struct ButtonEdge: Sendable, Equatable {
    public var button: Button
    public var isPressed: Bool
    /// When, by CLOCK_MONOTONIC: only differences mean something.
    public var time: Duration

    public init(button: Button, isPressed: Bool, time: Duration) {
        self.button = button
        self.isPressed = isPressed
        self.time = time
    }
}

/// What a multicolour light shows: any mixture of red, green and blue at full brightness.
public struct LightColor: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public static let red = LightColor(rawValue: 1)
    public static let green = LightColor(rawValue: 2)
    public static let blue = LightColor(rawValue: 4)
    public static let yellow: LightColor = [.red, .green]
    public static let magenta: LightColor = [.red, .blue]
    public static let cyan: LightColor = [.green, .blue]
    public static let white: LightColor = [.red, .green, .blue]

    public init(rawValue: Int) { self.rawValue = rawValue }
}

/// The state of the panel's outputs, independent of the lines' polarity.
public struct PanelOutputs: Sendable, Equatable {
    /// Empty is dark. A light of one colour is lit for any other value.
    public var color: LightColor
    public var isVibrating: Bool

    public static let off = PanelOutputs(color: [], isVibrating: false)

    public init(color: LightColor, isVibrating: Bool = false) {
        self.color = color
        self.isVibrating = isVibrating
    }

    /// White when lit.
    public init(isLit: Bool, isVibrating: Bool) {
        self.init(color: isLit ? .white : [], isVibrating: isVibrating)
    }

    public var isLit: Bool { !color.isEmpty }
}

/// LED, vibration motor, buttons and the amplifier's switch: GPIO lines, a terminal, or a test's record.
///
///     try panel.set(PanelOutputs(color: .green))
///     for await edge in panel.edges where edge.isPressed {
///         print(edge.button)
///     }
public protocol Panel: Sendable {
    /// Presses and releases in order, from the panel's creation on. For one consumer. Without bounce: for each button,
    /// presses and releases alternate, unless one was lost. Times are CLOCK_MONOTONIC. Ends when the panel is closed,
    /// or when its buttons can no longer be read; then ``failure`` says why.
    var edges: AsyncStream<ButtonEdge> { get }

    /// Why ``edges`` ended without ``close()``; `nil` while it has not. Never blocks.
    var failure: PanelError? { get }

    /// Whether there is a light or a motor. If not, ``set(_:)`` need not be called. Never blocks.
    var hasOutputs: Bool { get }

    /// Whether there is a screen for ``show(_:)``. If not, it need not be called. Never blocks.
    var hasScreen: Bool { get }

    /// Shows a line beside the light; `nil` removes it. Takes a few system calls at most. A panel without a screen
    /// ignores it.
    func show(_ line: String?)

    /// Drives the outputs. Takes a few system calls at most. A panel without an LED or a motor ignores that part.
    func set(_ outputs: PanelOutputs) throws(PanelError)

    /// Switches the loudspeaker's amplifier. It is off at first; ``set(_:)`` does not change it. Takes a few system
    /// calls at most; any thread. A panel without such a line ignores it.
    func setAmplifier(_ isOn: Bool) throws(PanelError)

    /// Switches the outputs and the amplifier off, releases the lines and ends ``edges``. Harmless when called twice.
    func close()
}

extension Panel {
    public var hasOutputs: Bool { true }
    public var hasScreen: Bool { false }
    public func show(_ line: String?) {}
}

/// What is wrong with the panel. The box works without it.
public enum PanelError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No GPIO chip carries this label.
    case chipNotFound(label: String, reason: String)
    /// The chip has no line of this name.
    case lineNotFound(name: String, chip: String)
    /// The line exists but cannot be requested: another program holds it, or it cannot do what is asked.
    case lineUnavailable(name: String, chip: String, reason: String)
    /// The terminal cannot be used as a panel.
    case terminalUnavailable(reason: String)
    /// A line that was requested failed later.
    case lineFailed(name: String, reason: String)

    public var description: String {
        switch self {
        case .chipNotFound(let label, let reason): "no GPIO chip is labelled \"\(label)\": \(reason)"
        case .lineNotFound(let name, let chip): "GPIO chip \"\(chip)\" has no line named \"\(name)\""
        case .lineUnavailable(let name, let chip, let reason):
            "GPIO line \"\(name)\" of chip \"\(chip)\" cannot be used: \(reason)"
        case .terminalUnavailable(let reason): "no panel on this terminal: \(reason)"
        case .lineFailed(let name, let reason): "GPIO line \"\(name)\" failed: \(reason)"
        }
    }
}
