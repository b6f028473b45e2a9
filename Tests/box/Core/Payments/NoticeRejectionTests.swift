import SoundboxCore
import TestSupport
import Testing

@Suite("Payment notices that are rejected")
struct NoticeRejectionTests {
    let decoder = PaymentNoticeDecoder(defaultCurrency: .CNY)

    private func rejection(of payload: [UInt8]) throws -> NoticeRejection {
        try #require(throws: NoticeRejection.self) { try decoder.decode(payload) }
    }

    private func rejection(of json: String) throws -> NoticeRejection {
        try rejection(of: Array(json.utf8))
    }

    @Test(
        "A bad amount names its field and carries the id",
        arguments: [
            ("amount", #""currency":"CNY""#), ("amount", #""amount":null"#), ("amount", #""amount":"0""#),
            ("amount", #""amount":0"#), ("amount", #""amount":0.00"#), ("amount", #""amount":0e5"#),
            ("amount", #""amount":"-5""#), ("amount", #""amount":-5"#), ("amount", #""amount":-0"#),
            ("amount", #""amount":"""#), ("amount", #""amount":"5元""#), ("amount", #""amount":"1,000""#),
            ("amount", #""amount":"1e2""#), ("amount", #""amount":"NaN""#), ("amount", #""amount":"+5""#),
            ("amount", #""amount":" 5""#), ("amount", #""amount":".5""#), ("amount", #""amount":"5.""#),
            ("amount", #""amount":"１２""#), ("amount", #""amount":"5\u0000""#), ("amount", #""amount":true"#),
            ("amount", #""amount":[5]"#), ("amount", #""amount":{"value":5}"#),
            ("amount", #""amount":"0.0000000001""#), ("amount", #""amount":1.12345678901"#),
            ("amount", #""amount":"1000000000000001""#), ("amount", #""amount":1e16"#),
            ("amount", #""amount":1e999999"#),
            ("amount", #""amount":1e-9223372036854775808"#), ("amount", #""amount":1e-99999999999999999999"#),
            ("amount", #""amount":"5","amount_minor":500"#), ("amount_minor", #""amount_minor":0"#),
            ("amount_minor", #""amount_minor":-1"#), ("amount_minor", #""amount_minor":1.5"#),
            ("amount_minor", #""amount_minor":"500""#), ("amount_minor", #""amount_minor":1e18"#),
            ("amount_minor", #""amount_minor":100000000000000001"#), ("amount_minor", #""amount_minor":1e-20"#),
            ("amount_minor", #""amount_minor":5e-1"#),
            ("amount_minor", #""amount_minor":88.00"#), ("amount_minor", #""amount_minor":1.2e3"#),
            ("amount", #""amount":"12.345""#), ("amount", #""amount":12.000"#), ("amount", #""amount":1.2345e1"#),
            ("amount", #""amount":"10.000","currency":"VND""#), ("amount", #""amount":1.000,"currency":"JPY""#),
            ("amount", #""amount":"1.500","currency":"IDR""#), ("amount", #""amount":"12.500","currency":"KRW""#),
            ("amount", #""amount":"5\ud83d""#),
            ("amount", #""amount":0e-9223372036854775808"#), ("amount", #""amount":0.0e-9223372036854775807"#),
            ("amount", #""amount":0.000e9223372036854775807"#),
            ("amount_minor", #""amount_minor":[1]"#), ("amount_minor", #""amount_minor":false"#),
        ])
    func amounts(field: String, members: String) throws {
        let rejection = try rejection(of: "{\"id\":\"T1\",\(members)}")
        #expect(rejection.field == field)
        #expect(rejection.id?.text == "T1")
        #expect(!rejection.problem.isEmpty)
    }

    @Test(
        "Any other bad field is named, with the id",
        arguments: [
            ("currency", #""RMB""#), ("currency", #""rmb""#), ("currency", "156"),
            ("currency", #""CN\ud83d""#), ("kind", #""chargeback""#), ("kind", "1"), ("kind", #""Payment""#),
            ("kind", #""refund\ud83d""#),
        ])
    func fields(field: String, value: String) throws {
        let rejection = try rejection(of: #"{"id":"T1","amount":"5","\#(field)":\#(value)}"#)
        #expect(rejection.field == field)
        #expect(rejection.id?.text == "T1")
    }

    @Test(
        "The rejection of a refund names the refund and not its payment, unless the kind is what is wrong",
        arguments: [
            (#""kind":"refund","amount":"-1""#, true), (#""amount":"5","currency":"RMB","kind":"refund""#, true),
            (#""kind":"refund""#, true), (#""amount":"-1","kind":"Refund""#, false),
            (#""amount":"-1","kind":["refund"]"#, false), (#""amount":"-1","kind":"payment""#, false),
        ])
    func refunds(members: String, isRefund: Bool) throws {
        let id = try rejection(of: "{\"id\":\"T1\",\(members)}").id
        #expect(id?.text == "T1" && id?.isRefund == isRefund)
    }

    @Test(
        "A bad id is named and is not carried",
        arguments: [
            #"{"amount":"5"}"#, #"{"id":null,"amount":"5"}"#, #"{"id":5,"amount":"5"}"#, #"{"id":"","amount":"5"}"#,
            #"{"id":"a\nb","amount":"5"}"#, #"{"id":"a\ud83d","amount":"5"}"#, #"{"id":"a\ufffd","amount":"5"}"#,
            #"{"id":["1"],"amount":"5"}"#, #"{"id":true,"amount":"5"}"#,
            #"{"ID":"1","amount":"5"}"#, "{\"id\":\"\(String(repeating: "x", count: 129))\",\"amount\":\"5\"}",
        ])
    func ids(json: String) throws {
        let rejection = try rejection(of: json)
        #expect(rejection.field == "id")
        #expect(rejection.id == nil)
    }

    @Test(
        "A message that is no JSON object is rejected as a whole",
        arguments: [
            "", " ", "null", "5", #""5""#, "[]", #"[{"id":"1","amount":"5"}]"#, "{", #"{"id":"1","amount":"5""#,
            #"{"id":"1","amount":"5",}"#, #"{"id":"1","amount":"5"} x"#, #"{"id":"1","amount":"5"}{}"#,
            #"{"id":"1","amount":NaN}"#, #"{"id":"1","amount":Infinity}"#, #"{"id":"1","amount":05}"#,
            #"{"id":"1","amount":.5}"#, #"{"id":"1","amount":+5}"#, #"{"id":"1","amount":5.}"#,
            #"{"id":"1","amount":"5","amount":"500"}"#, #"{"id":"1","id":"2","amount":"5"}"#,
            #"{"id":"1","amount":"5","\u0061mount":"500"}"#, #"{'id':'1','amount':'5'}"#, #"{id:"1",amount:"5"}"#,
            #"{"id":"1","amount":"5"/**/}"#, "\u{FEFF}{\"id\":\"1\",\"amount\":\"5\"}\u{FEFF}", "amount=5&id=1",
            #"{"id":"1","amount":"5"}"# + "\u{0}",
        ])
    func wholeMessage(json: String) throws {
        let rejection = try rejection(of: json)
        #expect(rejection.field == "payload")
        // What was read before the mistake says which payment it was, unless it is named twice.
        let isNamed = json.drop { $0 == "\u{FEFF}" }.hasPrefix(#"{"id":"1","amount"#)
        #expect(rejection.id?.text == (isNamed ? "1" : nil))
    }

    @Test("Bytes that are no JSON are refused with the id that stands before them")
    func idBeforeTheMistake() throws {
        for (start, end, id) in [
            (#"{"id":"1","subject":""#, #"","amount":"5"}"#, "1"), (#"{"x":["a",""#, #""],"id":"1"}"#, nil),
            (#"{"subject":""#, #"","id":"1","amount":"5"}"#, nil), (#"{"id":"1"#, #"","amount":"5"}"#, nil),
            (#"{"x":{"id":"2"},"id":"1","y":{"id":"3","z":""#, #""}}"#, "1"),
        ] {
            for mistake: [UInt8] in [[0xD6, 0xD0], [0x0A], [0x00]] {
                let rejection = try rejection(of: Array(start.utf8) + mistake + Array(end.utf8))
                #expect(rejection.field == "payload")
                #expect(rejection.id?.text == id, "\(start)")
            }
        }
    }

    @Test("Three decimals that a currency does not have are refused with the thousands that they may be")
    func thousands() throws {
        let rejection = try rejection(of: #"{"id":"1","amount":"10.000","currency":"VND"}"#)
        #expect(
            rejection.description
                == "amount: \"10.000\" has three decimals, and VND has none: do they belong to the thousands? "
                + "Expected plain digits such as 10000")
    }

    @Test("A message above 64 KiB is refused unread and says how long it is")
    func tooLong() throws {
        let json = #"{"id":"1","amount":"5"}"#
        let padding = String(repeating: " ", count: 65537 - json.utf8.count)
        let rejection = try rejection(of: json + padding)
        #expect(rejection.field == "payload")
        #expect(rejection.problem.contains("65537"))
    }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [[0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80]] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) throws {
        let payload = Array(#"{"id":"1"#.utf8) + bytes + Array(#"","amount":"5"}"#.utf8)
        #expect(try rejection(of: payload).field == "payload")
    }

    @Test("Deep nesting in an unknown field is refused before it can exhaust the stack")
    func deepNesting() throws {
        let depth = 30_000
        let json =
            #"{"id":"1","amount":"5","x":"# + String(repeating: "[", count: depth)
            + String(repeating: "]", count: depth) + "}"
        #expect(try rejection(of: json).problem.contains("nested"))
    }

    @Test(
        "Whatever the message says, the rejection is one short line",
        arguments: [
            "{\"a\\nERROR forged\":1,\"a\\nERROR forged\":2}", "{\"a\\u0000b\\rc\" 5}",
            "{\"\(String(repeating: "n", count: 20_000))\" 5}",
            "{\"e\(String(repeating: "\\u0301", count: 5000))\":1,\"e\(String(repeating: "\\u0301", count: 5000))\":1}",
            #"{"id":"1","amount":"5","currency":"C\nERROR forged"}"#,
            "{\"id\":\"1\",\"amount\":\"5\",\"currency\":\"e\(String(repeating: "\\u0301", count: 5000))\"}",
        ])
    func oneLine(json: String) throws {
        let text = try rejection(of: json).description
        #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        #expect(text.utf8.count < 300)
    }

    @Test("A valid notice cut short or with one byte changed is read or rejected, never a crash")
    func mutations() throws {
        let valid = Array(
            #"{"id":"T-1","amount":1.2345e2,"currency":"CNY","channel":"微信\u00e9","paid_at":"2026-11-21T10:15:00Z"}"#
                .utf8)
        #expect(throws: Never.self) { try decoder.decode(valid) }
        for length in 0..<valid.count {
            #expect(throws: NoticeRejection.self) { try decoder.decode(Array(valid.prefix(length))) }
        }
        var random = SeededGenerator(seed: 3)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = valid
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do throws(NoticeRejection) {
                guard case .notice(let notice, _) = try decoder.decode(bytes) else { continue }
                accepted += 1
                #expect(!notice.money.amount.isZero)
            } catch {
                #expect(["payload", "id", "amount", "currency", "channel", "paid_at"].contains(error.field))
            }
        }
        #expect(accepted > 0)
    }
}
