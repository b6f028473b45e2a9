import SoundboxCore
import SoundboxYAML
import Testing

@testable import SoundboxBox
@testable import SoundboxConfiguration

@Suite("Configuration of rings, sentences and clips")
struct CustomMessageConfigurationTests {
    private static let least = "merchant_id: M1001\ndevice_id: box-01\nbroker: {url: \"mqtt://127.0.0.1\"}\n"

    private func read(_ text: String) throws -> Configuration {
        try Configuration(parsing: Self.least + text, file: "soundbox.yaml")
    }

    @Test("Without a word a second ring waits, text is spoken and clips are refused")
    func defaults() throws {
        let configuration = try read("")
        #expect(configuration.features.ring.second == .wait)
        #expect(configuration.features.say == SaySettings(expireAfter: .seconds(300), synthesizer: .espeak))
        #expect(configuration.features.clips == nil)
        #expect(
            try read("clips: {hosts: [a.example]}\n").features.clips
                == ClipSettings(hosts: [try #require(HostRule("a.example"))]))
    }

    @Test("Every key is read")
    func keys() throws {
        let configuration = try read(
            """
            ring: {second: busy}
            say: {expire_after: 1h, synthesizer: none}
            clips:
              hosts: [cdn.example.com, "*.example.org:8443"]
              max_bytes: 512KB
              max_duration: 5s
              plain_http: true

            """)
        #expect(configuration.features.ring.second == .busy)
        #expect(configuration.features.say == SaySettings(expireAfter: .seconds(3600), synthesizer: .none))
        let hosts = try ["cdn.example.com", "*.example.org:8443"].map { try #require(HostRule($0)) }
        #expect(
            configuration.features.clips
                == ClipSettings(
                    hosts: hosts, allowsPlainHTTP: true, largest: 512 << 10, longest: .seconds(5)))
    }

    @Test(
        "A mistake is refused with its line and its key",
        arguments: [
            ("ring: {second: queue}", "soundbox.yaml:4: ring.second: expected one of wait, busy"),
            ("ring: {secnd: busy}", "soundbox.yaml:4: ring.secnd: unknown key; did you mean \"second\"?"),
            ("say: {synthesizer: festival}", "soundbox.yaml:4: say.synthesizer: expected one of espeak-ng, none"),
            ("say: {expire_after: 5}", "soundbox.yaml:4: say.expire_after: expected a time span"),
            ("clips: {}", "soundbox.yaml:4: clips.hosts"),
            ("clips: {hosts: []}", "soundbox.yaml:4: clips.hosts: expected at least one host"),
            ("clips: {hosts: [\"https://a/b\"]}", "soundbox.yaml:4: clips.hosts[0]: expected the name of a host"),
            (
                "clips: {hosts: [a.example], max_bytes: 17MB}",
                "soundbox.yaml:4: clips.max_bytes: expected a size from 1KB to 16MB"
            ),
            (
                "clips: {hosts: [a.example], max_bytes: 2mb}",
                "soundbox.yaml:4: clips.max_bytes: expected a size from 1KB to 16MB"
            ),
            (
                "clips: {hosts: [a.example], max_duration: 31s}",
                "soundbox.yaml:4: clips.max_duration: expected a time span"
            ),
        ])
    func mistakes(text: String, expected: String) {
        let error = #expect(throws: YAMLError.self) { try read(text + "\n") }
        #expect(error?.description.hasPrefix(expected) == true, "\(error?.description ?? "")")
    }
}
