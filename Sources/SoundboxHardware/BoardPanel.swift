import SoundboxAudio
import SoundboxCore
import SoundboxGPIO

/// The panel of a board, with as many of its parts as work.
public struct BoardPanel {
    public let panel: any Panel
    /// `nil` where the board switches none.
    public let amplifier: Amplifier?

    /// Requests the board's lines. Takes some dozen system calls.
    ///
    /// A wrong line costs lights and buttons. The amplifier is tried without them then, and sound without it fails: see
    /// ``AmplifiedSink``.
    /// - Parameter didFail: told what is missing, and why.
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

/// Where the buttons and lights are.
public enum PanelChoice: Sendable {
    /// What the configuration's board says.
    case board
    /// Keys and a status line, for trials without hardware.
    case terminal
}
