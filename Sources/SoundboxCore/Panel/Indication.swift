/// What the panel tells the owner.
///
/// In order of urgency: when several hold at once, the greatest is shown, as in `[.online, .muted].max()`.
public enum Indication: Int, Sendable, CaseIterable, Comparable {
    /// The box is starting.
    case booting
    /// Payments arrive and are spoken.
    case online
    /// The owner has switched the voice off.
    case muted
    /// Payments cannot arrive: no connection to the broker, or one is being made.
    case offline
    /// A payment is being announced, be it aloud or muted.
    case announcing
    /// Payments cannot be heard or kept: no sound card, or the disk fails.
    case fault

    public static func < (left: Indication, right: Indication) -> Bool {
        left.rawValue < right.rawValue
    }

    /// How it is shown. No two look alike, none is dark throughout, and only a payment vibrates.
    public var pattern: OutputPattern {
        switch self {
        case .booting: Self.blink(lit: .milliseconds(250), dark: .milliseconds(250))
        case .online: OutputPattern(ending: .hold(.lit))
        // Mostly lit, with a short gap now and then: all is well, yet silent.
        case .muted: Self.blink(lit: .milliseconds(1800), dark: .milliseconds(200))
        case .offline: Self.blink(lit: .seconds(1), dark: .seconds(1))
        case .announcing: Self.paymentSignal
        case .fault: Self.threeFlashes
        }
    }

    /// Two pulses of vibration with the chime, then the LED alone until the voice has finished. The motor rests while
    /// the amount is spoken, since its rattle would mask the words.
    private static let paymentSignal = OutputPattern(
        intro: [
            .init(.milliseconds(200), PanelOutputs(isLit: true, isVibrating: true)),
            .init(.milliseconds(100), .off),
            .init(.milliseconds(200), PanelOutputs(isLit: true, isVibrating: true)),
            .init(.milliseconds(100), .off),
        ],
        ending: .repeat([.init(.milliseconds(100), .lit), .init(.milliseconds(100), .off)]))

    /// Three flashes and a pause: easy to describe over the phone.
    private static let threeFlashes = OutputPattern(
        ending: .repeat([
            .init(.milliseconds(150), .lit), .init(.milliseconds(150), .off),
            .init(.milliseconds(150), .lit), .init(.milliseconds(150), .off),
            .init(.milliseconds(150), .lit), .init(.milliseconds(1250), .off),
        ]))

    private static func blink(lit: Duration, dark: Duration) -> OutputPattern {
        OutputPattern(ending: .repeat([.init(lit, .lit), .init(dark, .off)]))
    }
}

extension PanelOutputs {
    fileprivate static let lit = PanelOutputs(isLit: true, isVibrating: false)
}
