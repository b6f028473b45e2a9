import SoundboxCore
import SoundboxYAML

extension Retention {
    /// Where `inbox:` says nothing.
    package static let usual = Retention(keep: .days(90), maximumBytes: 512 << 20)

    init(reading mapping: YAMLMapping) throws(YAMLError) {
        self.init(
            keep: try mapping.read("keep") { try $0.duration(in: .days(1) ... .days(3650)) } ?? Self.usual.keep,
            maximumBytes: try mapping.read("max_size_mb") { try $0.integer(in: 8...65_536) << 20 }
                ?? Self.usual.maximumBytes)
        try mapping.refuseOtherKeys()
    }
}
