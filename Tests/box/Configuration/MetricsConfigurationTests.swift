import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxYAML
import Testing

@Suite("Configuration of metrics")
struct MetricsConfigurationTests {
    private static let least = "merchant_id: M1001\ndevice_id: box-01\nbroker: {url: \"mqtt://127.0.0.1\"}\n"

    private func address(_ text: String) throws -> ListenAddress? {
        try Configuration(parsing: Self.least + text, file: "soundbox.yaml").features.metrics
    }

    @Test("No port is open unless one is asked for")
    func off() throws { #expect(try address("") == nil) }

    @Test(
        "Addresses of this machine and of private networks, with their port",
        arguments: [
            ("127.0.0.1:9464", ListenAddress(.v4([127, 0, 0, 1]), port: 9464)),
            ("192.168.1.20:1", ListenAddress(.v4([192, 168, 1, 20]), port: 1)),
            ("0.0.0.0:65535", ListenAddress(.v4([0, 0, 0, 0]), port: 65_535)),
            ("[::1]:9464", ListenAddress(.v6([UInt8](repeating: 0, count: 15) + [1]), port: 9464)),
            ("[fd00::7]:80", ListenAddress(.v6([0xFD] + [UInt8](repeating: 0, count: 14) + [7]), port: 80)),
        ])
    func addresses(text: String, expected: ListenAddress) throws {
        #expect(try address("metrics: {listen: \"\(text)\"}\n") == expected)
    }

    @Test(
        "A mistake is refused with its line and its key",
        arguments: [
            ("{}", "soundbox.yaml:4: metrics.listen"), ("{port: 1}", "soundbox.yaml:4: metrics"),
            ("{listen: 9464}", "soundbox.yaml:4: metrics.listen: expected an address of this machine and a port"),
            ("{listen: \"localhost:9464\"}", "metrics.listen: expected an address"),
            ("{listen: \"127.0.0.1\"}", "metrics.listen: expected an address"),
            ("{listen: \"127.0.0.1:0\"}", "metrics.listen: expected an address"),
            ("{listen: \"127.0.0.1:65536\"}", "metrics.listen: expected an address"),
            ("{listen: \"127.0.0.256:1\"}", "metrics.listen: expected an address"),
            ("{listen: \"::1:9464\"}", "metrics.listen: expected an address"),
            ("{listen: \"[127.0.0.1]:9464\"}", "metrics.listen: expected an address"),
            ("{listen: \"1.1.1.1:9464\"}", "metrics.listen: is an address of the Internet"),
            ("{listen: \"[2606:4700::1111]:9464\"}", "metrics.listen: is an address of the Internet"),
            ("{listen: \"127.0.0.1:1\", path: /x}", "unknown key; expected one of listen"),
        ])
    func mistakes(text: String, expected: String) {
        let error = #expect(throws: YAMLError.self) { try address("metrics: \(text)\n") }
        #expect("\(error.map { "\($0)" } ?? "")".contains(expected), "\(error.map { "\($0)" } ?? "")")
    }
}
