import SoundboxControl
import Testing

@testable import SoundboxPage

@Suite("Where a request comes from")
struct RequestOriginTests {
    private func request(_ headers: [String: String]) -> HTTPRequest {
        var request = HTTPRequest(method: "POST", target: Array("/api/trial".utf8))
        request.headers = headers
        return request
    }

    @Test("The page's own requests are told from those of other sites")
    func origins() {
        let own = ["host": "192.168.1.7"]
        func isPage(_ headers: [String: String], https: Bool = false) -> Bool {
            RequestOrigin.isPage(request(own.merging(headers) { $1 }), isEncrypted: https)
        }
        #expect(isPage(["origin": "http://192.168.1.7"]))
        #expect(isPage(["origin": "https://192.168.1.7"], https: true))
        #expect(isPage(["sec-fetch-site": "same-origin"]))
        #expect(!isPage([:]))
        #expect(!isPage(["origin": "null"]))
        #expect(!isPage(["origin": "http://evil.example"]))
        #expect(!isPage(["origin": "http://192.168.1.7:8080"]))
        #expect(!isPage(["origin": "http://192.168.1.7"], https: true))
        #expect(!isPage(["origin": "http://evil.example", "sec-fetch-site": "same-origin"]))
        #expect(!isPage(["sec-fetch-site": "same-site"]))
        #expect(!RequestOrigin.isPage(request(["origin": "http://"]), isEncrypted: false))
    }

    @Test(
        "A page without a certificate is reached by addresses and by names of this network",
        arguments: [
            "192.168.1.7", "192.168.1.7:8080", "[fe80::1]:80", "localhost", "soundbox.local", "box.LAN:81",
            "soundbox.local.", "soundbox.local.:81",
        ])
    func names(host: String) { #expect(RequestOrigin.isLocalName(host)) }

    @Test(
        "A name of the Internet that leads here is no name of the page",
        arguments: [
            "", "evil.example", "soundbox.local.evil.example", "192.168.1.7.evil.example", "a.localevil",
            "[evil.example", "evil.example/.local", "evil.example#.local", "[::1]evil", ".", "evil.example.",
            "soundbox.local..", "192.168.1.7.evil.example.:80",
        ])
    func foreignNames(host: String) { #expect(!RequestOrigin.isLocalName(host)) }

    @Test("The machine's own name with a search domain of its resolver is a name of the page, and no other host's is")
    func ownNames() {
        func isLocal(_ host: String) -> Bool {
            RequestOrigin.isLocalName(host) { ["soundbox.fritz.box", "soundbox.shop.example"] }
        }
        #expect(isLocal("soundbox.fritz.box") && isLocal("SoundBox.shop.example.:80"))
        #expect(!isLocal("evil.fritz.box") && !isLocal("fritz.box") && !isLocal("x.soundbox.fritz.box"))
        #expect(!isLocal("soundbox.fritz.box.evil.example") && !isLocal("soundbox.shop.example.com"))
    }

    @Test(
        "Search domains are read as resolv.conf(5) says",
        arguments: [
            ("box", "nameserver 192.168.1.1\nsearch fritz.box\n", ["box.fritz.box"]),
            ("Box", "search\tfritz.box. Shop.Example\n", ["box.fritz.box", "box.shop.example"]),
            ("box", "search a.example\ndomain b.example\n", ["box.b.example"]),
            ("box", "# search a.example\n;domain b.example\noptions search\n", []), ("box", "search .\n", []),
            ("box", "", []), ("", "search fritz.box\n", []), ("box.shop.example", "", ["box.shop.example"]),
            ("box.shop.example", "search fritz.box\n", ["box.fritz.box"]),
        ])
    func searchDomains(host: String, resolver: String, names: [String]) {
        #expect(RequestOrigin.ownNames(host: host, resolver: resolver) == names)
    }
}
