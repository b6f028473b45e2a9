import Glibc
import SoundboxCore
import SoundboxSystem
import SoundboxYAML
import Synchronization
import TestSupport
import Testing

@testable import SoundboxSetup

private func network(_ members: String) throws -> WiFiNetwork {
    try WiFiNetwork(reading: YAMLValue(parsing: members, file: "in.yaml", isConfidential: true))
}

@Suite("A Wi-Fi network in a provisioning file")
struct WiFiNetworkTests {
    @Test(
        "What can be no network is refused, with what was expected and without repeating it",
        arguments: [
            (
                "{ssid: \"\", password: password, country: CN}",
                "ssid: expected the name of the network, 1 to 32 bytes; this has 0"
            ),
            (
                "{ssid: 一二三四五六七八九十一, password: password, country: CN}",
                "ssid: expected the name of the network, 1 to 32 bytes; this has 33"
            ),
            ("{ssid: \"a\\tb\", password: password, country: CN}", "ssid: there is a control character in it"),
            (
                "{ssid: s, password: hunter2, country: CN}",
                "password: expected 8 to 63 bytes, or 64 hexadecimal digits; this has 7"
            ),
            ("{ssid: s, password: \"\", country: CN}", "password: it is empty; leave the key out"),
            ("{ssid: s, password: \"hunter22\\n\", country: CN}", "password: there is a control character in it"),
            ("{ssid: s, password: hunter22, country: China}", "country: expected the two letters of the country"),
            ("{ssid: s, password: hunter22, country: UK}", "country: the United Kingdom is GB"),
            ("{ssid: s, password: hunter22}", "country: this key is missing"),
            ("{password: hunter22, country: CN}", "ssid: this key is missing"),
            ("{ssid: s, pasword: hunter22, country: CN}", "did you mean \"password\"?"),
            ("hunter22", "expected a mapping"),
        ])
    func refused(members: String, expected: String) throws {
        let error = #expect(throws: YAMLError.self) { try network(members) }
        #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
        #expect(error?.description.contains("hunter") == false)
    }

    @Test("63 characters and 64 hexadecimal digits are passwords, 64 others and 65 digits are none")
    func longPasswords() throws {
        for text in [String(repeating: "x", count: 63), String(repeating: "aF", count: 32)] {
            #expect(try network("{ssid: s, password: \(text), country: CN}").password?.value == text)
        }
        for text in [String(repeating: "x", count: 64), String(repeating: "a", count: 65)] {
            #expect(throws: YAMLError.self) { try network("{ssid: s, password: \(text), country: CN}") }
        }
    }

    @Test("Numbers and words that YAML knows are names, passwords and countries as they stand there")
    func plainScalars() throws {
        let network = try network("{ssid: 0123, password: 00012345, country: no}")
        #expect(network.name == "0123" && network.password?.value == "00012345" && network.country == "NO")
    }

    @Test("The profile, word for word")
    func keyfile() throws {
        #expect(
            try network("{ssid: My Shop, password: 'pass\\word 1', country: CN, hidden: true}").keyfile == """
                # Written by `soundbox setup`.
                [connection]
                id=soundbox\\sMy\\sShop
                type=wifi
                autoconnect-priority=2

                [wifi]
                mode=infrastructure
                ssid=77;121;32;83;104;111;112;
                hidden=true

                [wifi-security]
                key-mgmt=wpa-psk
                psk=pass\\\\word\\s1

                [ipv4]
                method=auto

                [ipv6]
                method=auto

                """)
        #expect(try !network("{ssid: Open, country: CN}").keyfile.contains("wifi-security"))
    }

    @Test(
        "NetworkManager reads from the profile what was meant",
        .enabled("needs nmcli") { (try? await ChildProcess.run("nmcli", "--version")) != nil },
        arguments: [
            ("Shop", "password"), ("1234", "12345678"), ("1;2;", "semi;colon;"), (" blanks ", "  blanks  "),
            ("#[店] \"=\\", "\\s\\\\ #;=\"' 密码"), ("0", String(repeating: "aF", count: 32)),
        ])
    func networkManager(name: String, password: String) async throws {
        let yaml = "{ssid: \(JSONValue.string(name).text), password: \(JSONValue.string(password).text), country: CN}"
        let keyfile = try network(yaml).keyfile
        // Prints the profile that it has read in its own words; those are read again, value by value.
        let child = try ChildProcess(
            ["nmcli", "--offline", "connection", "modify", "connection.autoconnect", "yes"], input: keyfile)
        #expect(try await child.exitStatus() == 0)
        let lines = try await child.output.all()
        let psk = try #require(lines.first { $0.hasPrefix("psk=") }).dropFirst(4)
        #expect(unescaped(psk) == password)
        let ssid = try #require(lines.first { $0.hasPrefix("ssid=") }).dropFirst(5)
        let bytes = ssid.split(separator: ";").compactMap { UInt8($0) }
        // In its own words, a semicolon of the name has one more escape.
        let text = unescaped(ssid).replacing("\\;", with: ";")
        #expect(ssid.hasSuffix(";") && bytes == Array(name.utf8) || text == name)
    }

    private func unescaped(_ text: Substring) -> String {
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "\\", let next = rest.popFirst() else {
                result.append(character)
                continue
            }
            result.append(next == "s" ? " " : next)
        }
        return result
    }
}

@Suite("Profiles of Wi-Fi networks")
struct WiFiProfilesTests {
    private let folder: TemporaryFolder
    private var profiles: WiFiProfiles { WiFiProfiles(folder: folder.path) }

    init() throws { folder = try TemporaryFolder() }

    @Test("Root's alone, and one for each network: what is added changes no other")
    func added() throws {
        try folder.write("[connection]\nid=preconfigured\n", to: "preconfigured.nmconnection")
        try profiles.install(network("{ssid: Shop, password: password, country: CN}"))
        try profiles.install(network("{ssid: shop, password: password, country: CN}"))
        #expect(
            try folder.names() == [
                "preconfigured.nmconnection", "soundbox-53686f70.nmconnection", "soundbox-73686f70.nmconnection",
            ])
        #expect(try folder.read("preconfigured.nmconnection") == Array("[connection]\nid=preconfigured\n".utf8))
        var attributes = stat()
        #expect(stat(folder.file("soundbox-53686f70.nmconnection"), &attributes) == 0)
        #expect(attributes.st_mode & 0o777 == 0o600 && attributes.st_uid == geteuid())
    }

    @Test("A new password that may be wrong takes nothing from the one that worked; the same one again changes nothing")
    func anotherPassword() throws {
        let first = try network("{ssid: Shop, password: password, country: CN}")
        let second = try network("{ssid: Shop, password: passw0rd, country: CN}")
        try profiles.install(first)
        try profiles.install(first)
        #expect(try folder.names().count == 1)
        try profiles.install(second)
        #expect(try SmallFile.read(profiles.path(second)) == second.keyfile)
        let earlier = try SmallFile.read(folder.file("soundbox-53686f70-before.nmconnection"))
        // The new one is tried first.
        #expect(earlier == first.keyfile.replacing("autoconnect-priority=2", with: "autoconnect-priority=1"))
        #expect(earlier != first.keyfile)
    }
}

@Suite("Wi-Fi is switched on")
struct WiFiSwitchTests {
    private let folder: TemporaryFolder
    private let calls = Calls()

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("CN\n", to: "wifi-country")
    }

    private final class Calls: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func append(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private func turnOn(_ outcomes: [String: WiFiSwitch.Outcome] = [:]) async throws -> [String] {
        try await WiFiSwitch(
            configurationFile: folder.file("soundbox.yaml"), moduleFile: folder.file("modprobe.conf"),
            run: { [calls] tool, arguments in
                calls.append(([tool] + arguments).joined(separator: " "))
                return outcomes[tool] ?? .done
            }
        ).turnOn()
    }

    private var isPending: Bool { SmallFile.exists(folder.file("wifi-country")) }

    @Test("On Raspberry Pi OS its own tool sets the country; then NetworkManager is told, and nothing is left to do")
    func raspberryPi() async throws {
        #expect(try await turnOn() == ["Wi-Fi is on, for the country CN"])
        #expect(
            calls.all == [
                "raspi-config nonint do_wifi_country CN", "nmcli connection reload", "nmcli radio wifi on",
            ])
        #expect(!isPending && !SmallFile.exists(folder.file("modprobe.conf")))
        #expect(try await turnOn() == ["there is no new Wi-Fi network"])
    }

    @Test("Elsewhere the kernel is told the country, now and at its next start; a tool that is missing is no fault")
    func debian() async throws {
        #expect(
            try await turnOn(["raspi-config": .missing, "rfkill": .missing]) == ["Wi-Fi is on, for the country CN"])
        #expect(calls.all.contains("iw reg set CN"))
        #expect(try folder.read("modprobe.conf") == Array("options cfg80211 ieee80211_regdom=CN\n".utf8))
    }

    @Test("While NetworkManager does not answer, the network stays to be switched on")
    func notRunning() async throws {
        await #expect(throws: SetupError.self) { try await turnOn(["nmcli": .failed("not running")]) }
        #expect(isPending)
        _ = try await turnOn()
        #expect(!isPending)
    }

    @Test("What is no country reaches no tool")
    func noCountry() async throws {
        try folder.write("; reboot\n", to: "wifi-country")
        await #expect(throws: SetupError.self) { try await turnOn() }
        #expect(calls.all == [] && !isPending)
    }
}
