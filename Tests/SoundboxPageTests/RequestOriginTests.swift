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
        arguments: ["192.168.1.7", "192.168.1.7:8080", "[fe80::1]:80", "localhost", "soundbox.local", "box.LAN:81"])
    func names(host: String) { #expect(RequestOrigin.isLocalName(host)) }

    @Test(
        "A name of the Internet that leads here is no name of the page",
        arguments: [
            "", "evil.example", "soundbox.local.evil.example", "192.168.1.7.evil.example", "a.localevil",
            "[evil.example", "evil.example/.local", "evil.example#.local", "[::1]evil",
        ])
    func foreignNames(host: String) { #expect(!RequestOrigin.isLocalName(host)) }
}
