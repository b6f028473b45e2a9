import SoundboxAudio
import SoundboxCore
import SoundboxGPIO

/// The panel of a board, with those of its parts that work.
///
///     let board = BoardPanel(layout) { missing, error in
///         logger.error("\(missing)", metadata: ["reason": "\(error)"])
///     }
///     try board.panel.set(.off)
public struct BoardPanel {
    public let panel: any Panel
    /// `nil` if the board switches none.
    public let amplifier: Amplifier?

    /// Requests the board's lines. Takes some dozen system calls.
    ///
    /// If a line is wrong, lights and buttons are left out, and the amplifier is tried without them. If its line is
    /// wrong too, sound fails: see ``AmplifiedSink``.
    /// - Parameter didFail: called with what is missing, and why.
    public init(_ layout: BoardLayout, didFail: (String, PanelError) -> Void) {
        panel = Self.panel(of: layout, didFail)
        amplifier = layout.amplifier.map { [panel] line in
            Amplifier(lead: line.lead, lag: line.lag) { isOn throws(PanelError) in try panel.setAmplifier(isOn) }
        }
    }

    private static func panel(of layout: BoardLayout, _ didFail: (String, PanelError) -> Void) -> any Panel {
        guard layout.hasPanel else { return NoPanel() }
        do { return try GPIOPanel(layout) } catch {
            didFail("the panel does not work: no lights, no buttons", error)
            guard layout.amplifier != nil else { return NoPanel() }
        }
        do { return try GPIOPanel(layout.amplifierOnly) } catch {
            didFail("the amplifier cannot be switched on: no sound", error)
            return NoPanel(amplifierFailure: error)
        }
    }
}

/// Which buttons and lights to use.
public enum PanelChoice: Sendable {
    /// Those of the configuration's board.
    case board
    /// Keys and a status line, for trials without hardware.
    case terminal
}
