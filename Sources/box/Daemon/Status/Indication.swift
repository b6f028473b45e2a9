import SoundboxCore

/// What the panel shows the owner.
///
///     let indication = [Indication.online, .muted].max()  // .muted
///     let outputs = Indication.muted.pattern.moment(at: elapsed).outputs
///
/// In order of urgency. When several apply at once, the greatest is shown.
public enum Indication: Int, Sendable, CaseIterable, Comparable {
    /// The box is starting.
    case booting
    /// Payments arrive and are spoken.
    case online
    /// The owner has muted the voice.
    case muted
    /// Payments cannot arrive: there is no connection to the broker yet.
    case offline
    /// The box belongs to no shop yet.
    case notProvisioned
    /// A payment is being announced, aloud or muted.
    case announcing
    /// Payments cannot be heard or stored: no sound card, or the disk fails.
    case fault
    /// A ring waits for an answer: until a button is pressed, or its time has passed.
    case ringing
    /// New software is being installed: do not switch the power off.
    case updating

    public static func < (left: Indication, right: Indication) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The pattern of the outputs. All patterns differ, even in one colour. None is dark throughout. Only a payment and
    /// a ring vibrate. Every colour contains red or green, so that a board with only these two shows all of them.
    public var pattern: OutputPattern {
        switch self {
        case .booting: Self.blink(.white, lit: .milliseconds(250), dark: .milliseconds(250))
        case .online: OutputPattern(ending: .hold(PanelOutputs(color: .green)))
        // Mostly lit, with a short gap now and then: all is well, but silent.
        case .muted: Self.blink(.cyan, lit: .milliseconds(1800), dark: .milliseconds(200))
        case .offline: Self.blink(.yellow, lit: .seconds(1), dark: .seconds(1))
        case .notProvisioned: Self.flashes(2, .magenta)
        case .announcing: Self.paymentSignal
        case .fault: Self.flashes(3, .red)
        case .ringing: Self.ringSignal
        case .updating: Self.blink(.white, lit: .milliseconds(100), dark: .milliseconds(900))
        }
    }

    /// Two pulses of vibration with the chime, then only the LED until the voice has finished. The motor is off while
    /// the amount is spoken: its noise would mask the words.
    private static let paymentSignal = OutputPattern(
        intro: [
            .init(.milliseconds(200), PanelOutputs(isLit: true, isVibrating: true)),
            .init(.milliseconds(100), .off),
            .init(.milliseconds(200), PanelOutputs(isLit: true, isVibrating: true)),
            .init(.milliseconds(100), .off),
        ],
        ending: .repeat([.init(.milliseconds(100), .lit), .init(.milliseconds(100), .off)]))

    /// Two long pulses and a pause, like a telephone, for as long as it rings. There are no words to mask.
    private static let ringSignal = OutputPattern(
        ending: .repeat([
            .init(.milliseconds(400), PanelOutputs(isLit: true, isVibrating: true)),
            .init(.milliseconds(200), .off),
            .init(.milliseconds(400), PanelOutputs(isLit: true, isVibrating: true)),
            .init(.seconds(1), .off),
        ]))

    /// Flashes and a pause, 2 s together: easy to describe over the phone.
    private static func flashes(_ count: Int, _ color: LightColor) -> OutputPattern {
        let flash = Duration.milliseconds(150)
        let pause = Duration.seconds(2) - flash * (2 * count - 1)
        let steps = (1...count).flatMap { number in
            [
                OutputPattern.Step(flash, PanelOutputs(color: color)),
                OutputPattern.Step(number < count ? flash : pause, .off),
            ]
        }
        return OutputPattern(ending: .repeat(steps))
    }

    private static func blink(_ color: LightColor, lit: Duration, dark: Duration) -> OutputPattern {
        OutputPattern(ending: .repeat([.init(lit, PanelOutputs(color: color)), .init(dark, .off)]))
    }
}

extension PanelOutputs {
    fileprivate static let lit = PanelOutputs(color: .white)
}
