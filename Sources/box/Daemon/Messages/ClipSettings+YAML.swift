import SoundboxCore
import SoundboxYAML

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
