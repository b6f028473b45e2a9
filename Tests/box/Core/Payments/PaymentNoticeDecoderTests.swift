import SoundboxCore
import Testing

@Suite("Payment notices that are accepted")
struct PaymentNoticeDecoderTests {
    let decoder = PaymentNoticeDecoder(defaultCurrency: .CNY)

    private func decode(_ json: String) throws -> PaymentNotice { try decoder.notice(in: json) }

    @Test("The documented example is read field by field")
    func documentedExample() throws {
        let notice = try decode(
            """
            {"id":"2026112122001476231405","amount":"123.45","currency":"CNY","channel":"alipay",\
            "paid_at":"2026-11-21T10:15:00+08:00"}
            """)
        #expect(
            notice
                == PaymentNotice(
                    id: try PaymentID("2026112122001476231405"), money: try Money("123.45", .CNY), kind: .payment,
                    channel: "alipay", paidAt: Timestamp(millisecondsSince1970: 1_795_227_300_000)))
    }

    @Test("An id and an amount are enough")
    func leastFields() throws {
        let notice = try decode(#"{"id":"1","amount":"0.01"}"#)
        #expect(notice == PaymentNotice(id: try PaymentID("1"), money: try Money("0.01", .CNY)))
    }

    @Test(
        "An amount is read exactly from its digits, as a string or as a number",
        arguments: [
            (#""amount":"123.45""#, "123.45"), (#""amount":123.45"#, "123.45"), (#""amount":"12.50""#, "12.5"),
            (#""amount":1.2345e2"#, "123.45"), (#""amount":12"#, "12"), (#""amount":0.1"#, "0.1"),
            (#""amount":4503599627370.4971"#, "4503599627370.4971"), (#""amount":9007199254740993"#, nil),
            (#""amount":900719925474099.3"#, "900719925474099.3"), (#""amount":"00012.00""#, "12"),
            (#""amount":"88.0000""#, "88"), (#""amount":"0.1234""#, "0.1234"), (#""amount":12.345e1"#, "123.45"),
            (#""amount":"1000000000000000""#, "1000000000000000"), (#""amount_minor":12345"#, "123.45"),
            (#""amount_minor":6"#, "0.06"), (#""amount_minor":12e2"#, "12"),
            (#""amount":"5","amount_minor":null"#, "5"),
            (#""amount":null,"amount_minor":500"#, "5"),
        ] as [(String, String?)])
    func amounts(field: String, expected: String?) throws {
        let json = "{\"id\":\"1\",\(field)}"
        if let expected {
            #expect(try decode(json).money == Money(expected, .CNY))
        } else {
            #expect(throws: NoticeRejection.self) { try decode(json) }
        }
    }

    @Test(
        "An empty text in an optional field is as null: it costs no payment",
        arguments: ["currency", "kind", "channel", "paid_at", "amount_minor"])
    func emptyTexts(field: String) throws {
        let notice = PaymentNotice(id: try PaymentID("1"), money: try Money("5", .CNY))
        for value in ["null", #""""#] {
            let decoded = try decoder.decode(Array(#"{"id":"1","amount":"5","\#(field)":\#(value)}"#.utf8))
            #expect(decoded == .notice(notice))
        }
    }

    @Test("An empty amount beside one in minor units is none, and alone it is refused as empty")
    func emptyAmount() throws {
        #expect(try decode(#"{"id":"1","amount":"","amount_minor":500}"#).money == Money("5", .CNY))
        let rejection = #expect(throws: NoticeRejection.self) { try decode(#"{"id":"1","amount":""}"#) }
        #expect(rejection?.description == "amount: this field is empty")
    }

    @Test(
        "Too many minor units are refused with the limit, in the units that were sent and as an amount",
        arguments: [
            ("CNY", "100000000000000001", "100000000000000000"), ("JPY", "1000000000000001", "1000000000000000"),
            ("KWD", "1000000000000000001", "1000000000000000000"),
        ])
    func tooManyMinorUnits(code: String, units: String, limit: String) throws {
        let rejection = #expect(throws: NoticeRejection.self) {
            try decode(#"{"id":"1","amount_minor":\#(units),"currency":"\#(code)"}"#)
        }
        #expect(
            rejection?.description == "amount_minor: larger than \(limit), an amount of 1000000000000000")
    }

    @Test(
        "Minor units follow the notice's own currency",
        arguments: [
            ("JPY", "500", "500"), ("KWD", "1500", "1.5"), ("CNY", "500", "5"), ("CLF", "1", "0.0001"),
            // The limit is 10¹⁵ of the main unit, whatever the unit that is counted in.
            ("CNY", "100000000000000000", "1000000000000000"), ("CNY", "1e17", "1000000000000000"),
            ("KWD", "1000000000000000000", "1000000000000000"), ("JPY", "1000000000000000", "1000000000000000"),
            ("CNY", "99999999999999999", "999999999999999.99"),
        ])
    func minorUnits(code: String, units: String, expected: String) throws {
        let notice = try decode(#"{"id":"1","amount_minor":\#(units),"currency":"\#(code)"}"#)
        #expect(notice.money == Money(try DecimalNumber(expected), try #require(Currency(code))))
    }

    @Test("The configured currency stands in for one that is missing or null")
    func defaultCurrency() throws {
        let yen = try #require(Currency("JPY"))
        let decoder = PaymentNoticeDecoder(defaultCurrency: yen)
        for json in [#"{"id":"1","amount_minor":500}"#, #"{"id":"1","amount_minor":500,"currency":null}"#] {
            #expect(try decoder.notice(in: json).money == Money("500", yen))
        }
    }

    @Test("Unknown fields of any shape are ignored")
    func unknownFields() throws {
        let notice = try decode(
            #"{"x":{"amount":"9"},"id":"1","list":[1,{"id":"2"}],"amount":"5","AMOUNT":"7","Id":3,"":null}"#)
        #expect(notice == PaymentNotice(id: try PaymentID("1"), money: try Money("5", .CNY)))
    }

    @Test("Optional fields may be null, and an empty channel is none")
    func absent() throws {
        let notice = try decode(#"{"id":"1","amount":"5","channel":"","paid_at":null,"kind":null,"currency":null}"#)
        #expect(notice == PaymentNotice(id: try PaymentID("1"), money: try Money("5", .CNY)))
    }

    @Test("A refund is told from a payment", arguments: [PaymentNotice.Kind.payment, .refund])
    func kinds(kind: PaymentNotice.Kind) throws {
        #expect(try decode(#"{"id":"1","amount":"5","kind":"\#(kind.rawValue)"}"#).kind == kind)
    }

    @Test("A kind of the voice is told from others, and one that there is not is refused with those there are")
    func otherKinds() throws {
        var decoder = decoder
        decoder.kinds = [try #require(KindName("deposit")), try #require(KindName("membership"))]
        let payload = { (kind: String) in #"{"id":"1","amount":"5","kind":"\#(kind)"}"# }
        #expect(try decoder.notice(in: payload("deposit")).kind == .other(try #require(KindName("deposit"))))
        for kind in ["queue_number", "Deposit", "payments"] {
            let error = try #require(throws: NoticeRejection.self) { try decoder.notice(in: payload(kind)) }
            #expect(error.description == "kind: expected payment, refund, deposit or membership")
        }
    }

    @Test("Words never cost a notice: what is no string is handed on as an empty text")
    func text() throws {
        #expect(try decode(#"{"id":"1","amount":"5","text":"请到二楼"}"#).text == "请到二楼")
        #expect(try decode(#"{"id":"1","amount":"5","text":null}"#).text == nil)
        #expect(try decode(#"{"id":"1","amount":"5","text":["x"]}"#).text == "")
    }

    @Test("White space around and inside the message and escapes in strings change nothing")
    func whiteSpaceAndEscapes() throws {
        let notice = try decode(" \r\n\t{ \"\\u0069d\" : \"\\u0031\" , \"amount\"\n:\"5\" }\n ")
        #expect(notice == PaymentNotice(id: try PaymentID("1"), money: try Money("5", .CNY)))
    }

    @Test("A message of exactly 64 KiB is read")
    func largest() throws {
        let json = #"{"id":"1","amount":"5"}"#
        let padding = String(repeating: " ", count: PaymentNoticeDecoder.maximumPayloadBytes - json.utf8.count)
        #expect(PaymentNoticeDecoder.maximumPayloadBytes == 65536)
        #expect(try decode(json + padding).id.text == "1")
    }

    @Test("A currency may be written in small letters, and a byte order mark may stand before the message")
    func spelling() throws {
        let notice = try decode("\u{FEFF}" + #"{"id":"1","amount":"5","currency":"jpy"}"#)
        let yen = try #require(Currency("JPY"))
        #expect(try notice.money == Money("5", yen))
    }

    @Test(
        "Half of a surrogate pair in a field that decides nothing costs no payment",
        arguments: [
            #""nickname":"A\ud83d""#, #""nickname":"\ude00A","x":["\ud83d\n"]"#, #""channel":"A\ud83d""#,
            #""\ud83d":1,"\ud83e":2"#, #""nickname":"\ud83d\ud83d\ude00""#,
        ])
    func brokenText(members: String) throws {
        #expect(try decode("{\"id\":\"1\",\(members),\"amount\":\"5\"}").money == Money("5", .CNY))
    }

    @Test(
        "A time or a channel that cannot be read costs no payment: it counts as missing, and the receipt says so",
        arguments: [
            ("paid_at", #""2026-11-21 10:15:00""#), ("paid_at", "1795227300"), ("paid_at", #""2026-02-29T00:00:00Z""#),
            ("channel", "5"), ("channel", #"["alipay"]"#), ("channel", "\"\(String(repeating: "x", count: 65))\""),
            ("channel", #""ali\npay""#), ("channel", #""ali\u0000pay""#),
        ])
    func unread(field: String, value: String) throws {
        let decoded = try decoder.decode(Array(#"{"id":"T1","amount":"5","\#(field)":\#(value)}"#.utf8))
        guard case .notice(let notice, let unread) = decoded else { return }
        #expect(notice == PaymentNotice(id: try PaymentID("T1"), money: try Money("5", .CNY)))
        #expect(unread.remark?.hasPrefix("\(field): ") == true)
        #expect((unread.paidAt != nil) == (field == "paid_at"))
    }

    @Test("An offset may lack its colon, and an empty time is none")
    func times() throws {
        let time = Timestamp(millisecondsSince1970: 1_795_227_300_000)
        #expect(try decode(#"{"id":"1","amount":"5","paid_at":"2026-11-21T10:15:00+0800"}"#).paidAt == time)
        let decoded = try decoder.decode(Array(#"{"id":"1","amount":"5","paid_at":""}"#.utf8))
        #expect(decoded == .notice(PaymentNotice(id: try PaymentID("1"), money: try Money("5", .CNY))))
    }
}

extension PaymentNoticeDecoder {
    func notice(in json: String) throws -> PaymentNotice {
        guard case .notice(let notice, _) = try decode(Array(json.utf8)) else { throw Unread() }
        return notice
    }

    private struct Unread: Error {}
}
