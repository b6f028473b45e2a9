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

extension ClipSettings {
    /// `hosts` has no default, so clips are refused until somebody says whose may be played.
    init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        let bytes = try mapping.read("max_bytes") { try $0.size(in: 1024...Self.mostBytes) } ?? 2 << 20
        let length = try mapping.read("max_duration") { try $0.duration(in: .seconds(1)...PCMSound.longest) }
        let plainHTTP = try mapping.read("plain_http") { try $0.bool() } ?? false
        self.init(
            hosts: try mapping.required("hosts").hostRules(), allowsPlainHTTP: plainHTTP, largest: bytes,
            longest: length ?? PCMSound.longest)
        try mapping.refuseOtherKeys()
    }
}

extension YAMLValue {
    fileprivate func hostRules() throws(YAMLError) -> [HostRule] {
        let values = try list()
        guard !values.isEmpty else { throw error("expected at least one host, such as [cdn.example.com]") }
        var rules: [HostRule] = []
        for value in values {
            let text = try value.string()
            guard let rule = HostRule(text) else {
                throw value.error(
                    "expected the name of a host such as cdn.example.com, *.example.com or cdn.example.com:8443"
                        + value.found(text))
            }
            value.mayBeShown()
            rules.append(rule)
        }
        return rules
    }

    /// `2MB`, `512KB`, or a number of bytes.
    fileprivate func size(in range: ClosedRange<Int>) throws(YAMLError) -> Int {
        let text = try string()
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let shift: Int? =
            switch text.dropFirst(digits.count) {
            case "": 0
            case "KB": 10
            case "MB": 20
            default: nil
            }
        guard let shift, let number = Int(digits), number <= Int.max >> shift, range.contains(number << shift) else {
            throw error(
                "expected a size from \(range.lowerBound.sizeText) to \(range.upperBound.sizeText), such as 2MB"
                    + found(text))
        }
        mayBeShown()
        return number << shift
    }
}

extension Int {
    /// A whole number of KB or MB.
    fileprivate var sizeText: String { self < 1 << 20 ? "\(self >> 10)KB" : "\(self >> 20)MB" }
}
