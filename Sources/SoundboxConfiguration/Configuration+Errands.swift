import SoundboxCore
import SoundboxYAML

extension Configuration {
    /// What commands give to say.
    public struct Say: Sendable, Equatable {
        /// Makes speech of text without recordings.
        public enum Synthesizer: String, Sendable, CaseIterable {
            /// If it is installed.
            case espeak = "espeak-ng"
            case none
        }

        /// What is not said this long after it was sent is not said at all.
        public var expireAfter: Duration
        public var synthesizer: Synthesizer

        public init(expireAfter: Duration, synthesizer: Synthesizer) {
            self.expireAfter = expireAfter
            self.synthesizer = synthesizer
        }
    }
}

extension RingPolicy {
    init(reading value: YAMLValue?) throws(YAMLError) {
        self = Configuration.Default.rings
        let mapping = try value?.mapping()
        if let value = mapping?.optional("second") { second = try value.choice(of: Second.self) }
        if let value = mapping?.optional("payments") { payments = try value.choice(of: Payments.self) }
        try mapping?.refuseOtherKeys()
    }
}

extension Configuration.Say {
    init(reading value: YAMLValue?) throws(YAMLError) {
        self = Configuration.Default.say
        let mapping = try value?.mapping()
        if let value = mapping?.optional("expire_after") {
            expireAfter = try value.duration(in: .seconds(10) ... .seconds(24 * 3600))
        }
        if let value = mapping?.optional("synthesizer") { synthesizer = try value.choice(of: Synthesizer.self) }
        try mapping?.refuseOtherKeys()
    }
}

extension ClipSettings {
    /// Clips are refused where nobody has said whose may be played: `hosts` has no default.
    init(reading value: YAMLValue) throws(YAMLError) {
        let mapping = try value.mapping()
        self.init(hosts: try mapping.required("hosts").hostRules())
        if let value = mapping.optional("max_bytes") { largest = try value.size(in: 1024...Self.mostBytes) }
        if let value = mapping.optional("max_duration") {
            longest = try value.duration(in: .seconds(1)...PCMSound.longest)
        }
        if let value = mapping.optional("cache") { cache = try value.size(in: 1 << 20...1 << 30) }
        if let value = mapping.optional("timeout") { timeout = try value.duration(in: .seconds(1) ... .seconds(30)) }
        if let value = mapping.optional("plain_http") { allowsPlainHTTP = try value.bool() }
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
