import SoundboxCore

/// What is wired to one kind of board, as its file in `board/` says.
public struct BoardLayout: Sendable, Equatable {
    /// The file's name without `.yaml`.
    public var name: String
    /// For people, in one line.
    public var description: String
    /// One LED of any colour, one for each of several colours, or an RGB LED on three lines.
    public var leds: [LEDLine]
    public var vibration: OutputLine?
    public var amplifier: AmplifierLine?
    public var buttons: [Button: ButtonLine]
    /// What the buttons do.
    public var gestures: GestureMap
    /// The built-in loudspeaker; `nil` if the board has none.
    public var loudspeaker: Loudspeaker?

    public init(
        name: String, description: String, leds: [LEDLine] = [], vibration: OutputLine? = nil,
        amplifier: AmplifierLine? = nil, buttons: [Button: ButtonLine] = [:], gestures: GestureMap = .usual,
        loudspeaker: Loudspeaker? = nil
    ) {
        self.name = name
        self.description = description
        self.leds = leds
        self.vibration = vibration
        self.amplifier = amplifier
        self.buttons = buttons
        self.gestures = gestures
        self.loudspeaker = loudspeaker
    }

    /// Whether anything is wired to a GPIO line.
    public var hasPanel: Bool { !leds.isEmpty || vibration != nil || amplifier != nil || !buttons.isEmpty }

    /// Only the amplifier's line, which sound needs. Lights and buttons may be miswired.
    public var amplifierOnly: BoardLayout {
        BoardLayout(
            name: name, description: description, amplifier: amplifier, gestures: gestures, loudspeaker: loudspeaker)
    }
}

/// One line of a GPIO chip.
public struct GPIOLine: Sendable, Equatable, Hashable, CustomStringConvertible {
    public enum Reference: Sendable, Equatable, Hashable {
        /// The kernel's name, from the device tree. `orOffset` is used if the line there has no name: the same header
        /// has names on one kernel and none on another.
        case name(String, orOffset: Int? = nil)
        /// Counted from 0 within the chip.
        case offset(Int)
    }

    /// Labels of the chip. Models of one family label the same chip differently, so the first label that is present
    /// counts. The chip's number cannot be used: it differs between boards and kernels.
    public var chipLabels: [String]
    public var reference: Reference

    public init(chipLabels: [String], reference: Reference) {
        self.chipLabels = chipLabels
        self.reference = reference
    }

    public var description: String {
        switch reference {
        case .name(let name, _): name
        case .offset(let offset): "offset \(offset)"
        }
    }
}

/// A line that drives something.
public struct OutputLine: Sendable, Equatable {
    public var line: GPIOLine
    /// Whether the line is low to switch its load on.
    public var isActiveLow: Bool

    public init(line: GPIOLine, isActiveLow: Bool = false) {
        self.line = line
        self.isActiveLow = isActiveLow
    }
}

/// The line that switches the loudspeaker's amplifier.
public struct AmplifierLine: Sendable, Equatable {
    /// From switching on to the first sound. An amplifier is silent at first so that it does not pop: most for a few
    /// milliseconds (MAX98357A: 7), some for tens.
    public static let usualLead = Duration.milliseconds(50)
    /// From the last sound to switching off. Longer than a memory card takes to store that a payment was announced, so
    /// the amplifier stays on between two payments in a row.
    public static let usualLag = Duration.milliseconds(500)

    public var output: OutputLine
    public var lead: Duration
    public var lag: Duration

    public init(
        _ output: OutputLine, lead: Duration = AmplifierLine.usualLead, lag: Duration = AmplifierLine.usualLag
    ) {
        self.output = output
        self.lead = lead
        self.lag = lag
    }
}

/// An LED, or one colour of a light that has several.
public struct LEDLine: Sendable, Equatable {
    public var output: OutputLine
    /// The LED is lit when the box shows any part of this colour. ``LightColor/white`` is an LED for all colours.
    public var color: LightColor

    public init(_ output: OutputLine, color: LightColor = .white) {
        self.output = output
        self.color = color
    }
}

/// A line that a button pulls to one level.
public struct ButtonLine: Sendable, Equatable {
    /// What holds the line at the other level while the button is up.
    public enum Bias: String, Sendable, CaseIterable {
        case asIs = "as_is"
        /// The board has a resistor of its own.
        case disabled
        case pullUp = "pull_up"
        case pullDown = "pull_down"
    }

    /// The debounce time if the file names none; see ``Debouncer/period``.
    public static let usualDebounce = Duration.milliseconds(20)

    public var line: GPIOLine
    /// Whether the button connects its line to ground.
    public var isActiveLow: Bool
    public var bias: Bias
    /// How long a level must be stable to count.
    public var debounce: Duration

    public init(
        line: GPIOLine, isActiveLow: Bool = true, bias: Bias = .pullUp, debounce: Duration = ButtonLine.usualDebounce
    ) {
        self.line = line
        self.isActiveLow = isActiveLow
        self.bias = bias
        self.debounce = debounce
    }
}
