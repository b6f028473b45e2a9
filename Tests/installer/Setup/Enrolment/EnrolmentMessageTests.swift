import Testing

@testable import SoundboxCore
@testable import SoundboxSetup

@Suite("What a box and the issuer of its claim say to each other")
struct EnrolmentMessageTests {
    private let request = EnrolmentRequest(
        claim: "batch-1", hardwareID: "box-1", nonce: "aa", signingRequest: "PEM\n")

    @Test("The proof covers whose request it is, for what, and which one")
    func proof() throws {
        #expect(request.signedBytes == Array("batch-1\nbox-1\naa\nPEM\n".utf8))
        let json = try JSONValue(parsing: request.payload(proof: "ff"))
        #expect(json["claim"]?.string == "batch-1" && json["hardware_id"]?.string == "box-1")
        #expect(json["nonce"]?.string == "aa" && json["request"]?.string == "PEM\n" && json["proof"]?.string == "ff")
    }

    @Test(
        "An answer to another request is none, and neither is half of one",
        arguments: [
            (
                #"{"nonce":"aa","certificate":"C","package":"P"}"#,
                EnrolmentAnswer.granted(certificate: "C", package: "P")
            ),
            (#"{"nonce":"aa","refused":"the claim\u001b is revoked"}"#, .refused(reason: "the claim is revoked")),
            (#"{"nonce":"bb","certificate":"C","package":"P"}"#, nil), (#"{"nonce":"aa","certificate":"C"}"#, nil),
            (#"{"certificate":"C","package":"P"}"#, nil), ("[]", nil), ("{", nil),
        ])
    func answers(text: String, answer: EnrolmentAnswer?) {
        #expect(EnrolmentAnswer(decoding: Array(text.utf8), nonce: "aa") == answer)
    }

    @Test("A setup for another box, or from another day, is refused")
    func sealed() throws {
        func setup(_ text: String) throws -> String { try SealedSetup(decoding: Array(text.utf8), for: request).text }
        #expect(try setup(#"{"nonce":"aa","hardware_id":"box-1","setup":"a: b"}"#) == "a: b")
        for text in [
            #"{"nonce":"ab","hardware_id":"box-1","setup":"a: b"}"#,
            #"{"nonce":"aa","hardware_id":"box-2","setup":""}"#, #"{"nonce":"aa","hardware_id":"box-1"}"#, "",
        ] {
            #expect(throws: EnrolmentError.self) { try setup(text) }
        }
    }

    @Test(
        "A name is a word without anything that means something in a topic or a path",
        arguments: [
            ("box-000000a1b2c3d4", true), ("batch_1.b", true), (String(repeating: "x", count: 64), true), ("", false),
            (String(repeating: "x", count: 65), false), ("a/b", false), ("+", false), ("a b", false), ("é", false),
            ("a\u{0}", false),
        ])
    func names(text: String, isName: Bool) { #expect(EnrolmentTopics.isName(text) == isName) }

    @Test("Topics are the box's alone, and a name with a wildcard has none")
    func topics() throws {
        let topics = try EnrolmentTopics.topics(claim: "batch-1", hardwareID: "box-1")
        #expect(topics[.receipts] == "soundbox/enrol/batch-1/box-1/request")
        #expect(topics[.commands] == "soundbox/enrol/batch-1/box-1/answer")
        #expect(throws: TopicsError.self) { try EnrolmentTopics.topics(claim: "+", hardwareID: "box-1") }
    }
}

@Suite("For how long a certificate counts")
struct CertificateTermTests {
    private static func day(_ number: Int64) -> Timestamp { Timestamp(millisecondsSince1970: number * 86_400_000) }

    @Test("A new one is asked for with a third of the time left, by some boxes a twelfth earlier; a tenth is an alarm")
    func moments() {
        let term = CertificateTerm(begin: Self.day(0), end: Self.day(360))
        #expect(term.renewal(spread: 0) == Self.day(240))
        #expect(term.renewal(spread: 1) == Self.day(210))
        #expect(term.renewal(spread: 7) == Self.day(210))
        #expect(term.alarm == Self.day(324))
    }

    @Test("One that ends before it begins is due at once")
    func upsideDown() {
        let term = CertificateTerm(begin: Self.day(9), end: Self.day(2))
        #expect(term.renewal(spread: 0.5) == Self.day(2) && term.alarm == Self.day(2))
    }
}
