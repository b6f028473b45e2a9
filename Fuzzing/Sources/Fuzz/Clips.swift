import SoundboxCore
import SoundboxSpeak

extension FuzzTarget {
    /// A clip's encoded bytes, as the process that decodes them gets them; and its answer, as the box reads it.
    static let clip = FuzzTarget(name: "clip") { bytes in
        if let sound = WAV.sound(from: bytes, longest: longest), !sound.samples.isEmpty { check(sound) }
        guard let sound = try? ClipDecoder.decode(bytes, longest: longest) else { return }
        check(sound)
        precondition(WAV.sound(from: WAV.bytes(of: sound), longest: longest) == sound)
    }

    /// Lines of a URL, a redirect, and a rule for hosts. What is allowed must be read in one way only.
    static let clipurl = FuzzTarget(name: "clipurl") { bytes in
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, let url = try? ClipURL(parsing: String(first)) else { return }
        check(url)
        if lines.count > 1, let next = try? url.redirected(to: String(lines[1])) { check(next) }
        if lines.count > 2, let rule = HostRule(String(lines[2])) {
            precondition(HostRule(rule.description) == rule)
            let settings = ClipSettings(hosts: [rule])
            guard (try? settings.check(url)) != nil else { return }
            let name = rule.description.split(separator: ":")[0]
            precondition(url.scheme == .https && url.host.hasSuffix(name.hasPrefix("*") ? name.dropFirst() : name))
        }
    }

    private static let longest = Duration.seconds(5)

    private static func check(_ sound: PCMSound) {
        precondition(
            !sound.samples.isEmpty && sound.duration <= longest && WAV.rates.contains(sound.sampleRate))
    }

    private static func check(_ url: ClipURL) {
        precondition((try? ClipURL(parsing: url.text)) == url)
        precondition(url.host.utf8.allSatisfy { $0 == 0x2D || $0 == 0x2E || (0x30...0x39).contains($0) || $0 >= 0x61 })
        precondition(!url.text.dropFirst("https://".count).prefix { $0 != "/" }.contains("@"))
    }
}
