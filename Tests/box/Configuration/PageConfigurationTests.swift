import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxYAML
import Testing

@Suite("Configuration of the shop's page")
struct PageConfigurationTests {
    private static let least = "merchant_id: M1001\ndevice_id: box-01\nbroker: {url: \"mqtt://127.0.0.1\"}\n"

    private func configuration(_ text: String) throws -> Configuration {
        try Configuration(parsing: Self.least + text, file: "soundbox.yaml")
    }

    @Test(
        "There is no page unless one is asked for",
        arguments: ["", "page: {enabled: false}\n", "page: {enabled: false, port: 81}\n"])
    func off(text: String) throws {
        let configuration = try configuration(text)
        #expect(configuration.features.page == nil)
    }

    @Test("A page that is switched on is plain HTTP on every private address, and its socket is its own group's")
    func usual() throws {
        let page = try #require(try configuration("page: {enabled: true}\n").features.page)
        #expect(page.port == 80 && page.address == nil && page.certificateFile == nil && page.role == .change)
        #expect(page.socket == "/run/soundbox-page/control.sock" && page.group == "soundbox-page")
    }

    @Test("With a certificate it is HTTPS; a socket of one's own is of one's own group")
    func others() throws {
        let page = try #require(
            try configuration(
                """
                page:
                  enabled: true
                  listen: 192.168.1.7
                  certificate_file: /etc/soundbox-page/certificate.pem
                  key_file: /etc/soundbox-page/key.pem
                  role: look
                  socket: /tmp/page.sock

                """
            ).features.page)
        #expect(page.port == 443 && page.address == .v4([192, 168, 1, 7]) && page.role == .look)
        #expect(page.keyFile == "/etc/soundbox-page/key.pem")
        #expect(page.socket == "/tmp/page.sock" && page.group == nil)
    }

    @Test(
        "A mistake is refused with its line and its key, also where the page is switched off",
        arguments: [
            ("{}", "soundbox.yaml:4: page.enabled"), ("{enabled: maybe}", "page.enabled"),
            ("{enabled: true, port: 0}", "page.port"), ("{enabled: false, port: 65536}", "page.port"),
            ("{enabled: true, listen: 1.1.1.1}", "page.listen: is an address of the Internet"),
            ("{enabled: true, listen: soundbox.local}", "page.listen: expected an address"),
            ("{enabled: true, role: owner}", "page.role"),
            ("{enabled: true, key_file: /k}", "page.key_file: HTTPS needs certificate_file and key_file"),
            ("{enabled: true, certificate_file: /c}", "page.certificate_file: HTTPS needs"),
            ("{enabled: true, colour: red}", "unknown key"),
        ])
    func mistakes(text: String, expected: String) {
        let error = #expect(throws: YAMLError.self) { try configuration("page: \(text)\n") }
        #expect("\(error.map { "\($0)" } ?? "")".contains(expected), "\(error.map { "\($0)" } ?? "")")
    }
}
