import CMosquitto
import Glibc
import Testing

@testable import SoundboxMQTT

@Suite("The library's codes in words")
struct ReasonTests {
    @Test(
        "A connection that TLS lost is one that the broker closed, whatever OpenSSL's version makes of it",
        arguments: [
            [],
            ["OpenSSL Error[0]: error:0A000126:SSL routines::unexpected eof while reading"],
            ["OpenSSL Error[0]: error:80000068:system library::Connection reset by peer"],
            ["OpenSSL Error[0]: error:80000020:system library::Broken pipe"],
        ])
    func hangUp(lines: [String]) {
        let code = Int32(MOSQ_ERR_ERRNO.rawValue)
        #expect(MosquittoReasons.isHangUp(code, errno: EPROTO, lines: lines))
        #expect(MosquittoReasons.failure(code, errno: EPROTO, lines: lines) == "the broker closed the connection")
    }

    @Test("What TLS refused is not taken for a broker that hung up")
    func refusal() {
        let lines = ["OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed"]
        let code = Int32(MOSQ_ERR_ERRNO.rawValue)
        #expect(!MosquittoReasons.isHangUp(code, errno: EPROTO, lines: lines))
        #expect(MosquittoReasons.failure(code, errno: EPROTO, lines: lines).contains("is not trusted"))
    }
}
