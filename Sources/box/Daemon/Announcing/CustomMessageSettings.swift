import SoundboxCore
import SoundboxYAML

/// What to do with a ring that comes before another one has ended: `ring:`.
package struct RingSettings: Sendable, Equatable {
    package enum Second: String, Sendable, CaseIterable {
        /// It rings when the first one has ended, if it has not expired by then.
        case wait
        /// It is refused.
        case busy
    }

    package var second = Second.wait
}

/// What commands may have spoken: `say:`.
package struct SaySettings: Sendable, Equatable {
    /// What makes speech of text without recordings.
    package enum Synthesizer: String, Sendable, CaseIterable {
        /// If it is installed.
        case espeak = "espeak-ng"
        case none
    }

    /// A command that has not been spoken this long after it was sent is not spoken at all.
    package var expireAfter = Duration.minutes(5)
    package var synthesizer = Synthesizer.espeak
}

extension RingSettings {
    init(reading mapping: YAMLMapping) throws(YAMLError) {
        second = try mapping.read("second") { try $0.choice(of: Second.self) } ?? second
        try mapping.refuseOtherKeys()
    }
}

extension SaySettings {
    init(reading mapping: YAMLMapping) throws(YAMLError) {
        expireAfter = try mapping.read("expire_after") { try $0.duration(in: .seconds(10) ... .days(1)) } ?? expireAfter
        synthesizer = try mapping.read("synthesizer") { try $0.choice(of: Synthesizer.self) } ?? synthesizer
        try mapping.refuseOtherKeys()
    }
}
