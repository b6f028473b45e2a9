import SoundboxCore
import Testing

@testable import SoundboxSpeak

@Suite("Which addresses and hosts a clip may come from")
struct AddressTests {
    @Test(
        "Addresses of this machine, of the shop, of nobody and of everybody are not asked",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
            "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:8.8.8.8",
            "::ffff:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::808:808", "100::1", "2001::1",
            "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "4000::1",
            "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
        ])
    func special(text: String) throws {
        let address = try #require(self.address(text))
        #expect(!address.isPublic)
    }

    @Test(
        "Addresses on the public Internet are",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
            "223.255.255.255", "64:ff9b::808:808", "2001:200::1", "2001:4860:4860::8888", "2400:cb00::1",
            "2606:4700::1111", "3ffe::1",
        ])
    func open(text: String) throws {
        let address = try #require(self.address(text))
        #expect(address.isPublic)
        #expect(address.text == text)
    }

    /// Numeric addresses need no network.
    private func address(_ text: String) -> InternetAddress? {
        try? NameLookup.addresses(of: text).first
    }

    @Test(
        "An address that somebody could read in two ways is refused",
        arguments: [
            "", "https://", "ftp://a.example/x", "a.example/x", "https://user@a.example/", "https://a.example@evil/",
            "https://user:word@a.example/", "https://a.example:0/", "https://a.example:65536/",
            "https://a.example:+80/", "https://a.example:/", "https://a.example:1:2/", "https://[::1]/",
            "https://a.example\\@evil/", "https://a.example/ x", "https://a.example/\n", "https://bücher.example/",
            "https://.a.example/", "https://a.example./", "https://a..example/", "https://-a.example/",
            "https://a_b.example/", "https://2130706433/", "https://0x7f.0.0.1/", "https://127.1/",
            "https://0177.0.0.1/", "https://256.1.1.1/", "https://1.2.3.4.5/", "https://a%2eexample/",
            "https://" + String(repeating: "a", count: 64) + ".example/",
            "https://a.example/" + String(repeating: "a", count: 2048),
        ])
    func refusedURLs(text: String) {
        #expect(throws: ClipError.self) { try ClipURL(parsing: text) }
    }

    @Test("An address is put together from its checked parts")
    func parts() throws {
        #expect(try ClipURL(parsing: "HTTPS://CDN.Example.com?q=1#f").text == "https://cdn.example.com:443/?q=1")
        #expect(try ClipURL(parsing: "https://a.example:8443/%41/@:/b.mp3").target == "/%41/@:/b.mp3")
        let url = try ClipURL(parsing: "https://a.example/x/y")
        #expect(try url.redirected(to: "/z").text == "https://a.example:443/z")
        #expect(try url.redirected(to: "//b.example/z").text == "https://b.example:443/z")
        #expect(try url.redirected(to: "http://b.example").text == "http://b.example:80/")
        #expect(throws: ClipError.self) { try url.redirected(to: "z") }
    }

    @Test("The list of hosts allows exactly what it names")
    func hosts() throws {
        let settings = ClipSettings(
            hosts: try ["cdn.example.com", "*.shop.example", "local.example:8443"].map { try #require(HostRule($0)) })
        for text in [
            "https://cdn.example.com/a", "https://a.shop.example/", "https://a.b.shop.example/",
            "https://local.example:8443/",
        ] {
            #expect(throws: Never.self) { try settings.check(ClipURL(parsing: text)) }
        }
        for text in [
            "https://example.com/", "https://x.cdn.example.com/", "https://cdn.example.com.evil.example/",
            "https://shop.example/", "https://evilshop.example/", "https://cdn.example.com:8443/",
            "https://local.example/", "http://cdn.example.com/",
        ] {
            #expect(throws: ClipError.self) { try settings.check(ClipURL(parsing: text)) }
        }
        for text in ["", "*", "*.", "*.com", "a.*.example", "https://a.example", "a.example/", "a.example:", "[::1]"] {
            #expect(HostRule(text) == nil, "\(text)")
        }
    }
}
