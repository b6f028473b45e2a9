import SoundboxCore
import SoundboxYAML
import Testing

@testable import SoundboxConfiguration

@Suite("Other providers' formats, by mapping files")
struct MappingFileTests {
    private static let folder = #filePath.replacing(/\/Tests\/.*$/, with: "/provisioning/mappings")

    private func read(_ payload: String, by name: String) throws -> DecodedNotice {
        let (mapping, _) = try MappingFile.read(name: name, in: Self.folder)
        return try MappedNoticeDecoder(mapping: mapping, defaultCurrency: .CNY).decode(Array(payload.utf8))
    }

    private func notice(
        _ id: String, _ amount: String, _ code: String, channel: String? = nil, paidAt: String? = nil
    ) throws -> DecodedNotice {
        let currency = try #require(Currency(code))
        return .notice(
            PaymentNotice(
                id: try PaymentID(id), money: try Money(amount, currency), channel: channel,
                paidAt: paidAt.flatMap(Timestamp.init(rfc3339:))))
    }

    @Test("Yuan as a string, the channel as a code, known or not")
    func yuanString() throws {
        let payload = #"{"money":"0.01","request_id":"2026112110150001","biz_type":"1","store":{"no":7}}"#
        #expect(
            try read(payload, by: "yuan-string") == notice("2026112110150001", "0.01", "CNY", channel: "alipay"))
        #expect(
            try read(#"{"money":88.8,"request_id":20261121,"biz_type":2}"#, by: "yuan-string")
                == notice("20261121", "88.8", "CNY", channel: "wechat"))
        #expect(
            try read(#"{"money":"5","request_id":"r","biz_type":"99"}"#, by: "yuan-string")
                == notice("r", "5", "CNY", channel: "99"))
    }

    @Test("Paise as a number, exact to the last one, with the time in seconds")
    func minorUnits() throws {
        let payload =
            #"{"tx_id":"T2511211015","amount_paise":123456789012345,"provider":"phonepe","created_at":1795227300}"#
        #expect(
            try read(payload, by: "minor-units")
                == notice(
                    "T2511211015", "1234567890123.45", "INR", channel: "phonepe", paidAt: "2026-11-21T02:15:00Z"))
    }

    @Test("A bank's credit, in a currency without decimals, by its own clock; a debit is ignored")
    func bankTransfer() throws {
        let credit = #"{"amount":150000,"referenceNumber":"FT26325ABCDE","transType":"C","timePaid":"20261121101500"}"#
        #expect(
            try read(credit, by: "bank-transfer")
                == notice("FT26325ABCDE", "150000", "VND", paidAt: "2026-11-21T10:15:00+07:00"))
        let debit = #"{"amount":150000,"referenceNumber":"FT26325ABCDF","transType":"D","timePaid":"20261121101500"}"#
        #expect(try read(debit, by: "bank-transfer") == .ignored(reason: "transType is \"D\""))
        #expect(try read(#"{"heartbeat":1}"#, by: "bank-transfer") == .ignoredByAbsence(reason: "transType is missing"))
    }

    /// Each with the field that the rejection must name.
    static let rejected: [(mapping: String, payload: String, field: String)] = [
        ("yuan-string", #"{"money":"1,00","request_id":"r"}"#, "money"),
        ("yuan-string", #"{"money":"-1","request_id":"r"}"#, "money"),
        ("yuan-string", #"{"money":"0.00","request_id":"r"}"#, "money"),
        ("yuan-string", #"{"request_id":"r"}"#, "money"),
        ("yuan-string", #"{"money":"1"}"#, "request_id"),
        ("yuan-string", #"{"money":"1","request_id":12345.0}"#, "request_id"),
        ("yuan-string", #"{"money":"1","request_id":true}"#, "request_id"),
        ("yuan-string", #"{"money":"1","request_id":"r\ud83d"}"#, "request_id"),
        ("yuan-string", #"{"money":"1","request_id":""}"#, "request_id"),
        ("yuan-string", #"[]"#, "payload"),
        ("minor-units", #"{"tx_id":"t","amount_paise":1.5}"#, "amount_paise"),
        ("minor-units", #"{"tx_id":"t","amount_paise":100.0}"#, "amount_paise"),
        ("bank-transfer", #"{"amount":1.000,"referenceNumber":"x","transType":"C"}"#, "amount"),
        ("bank-transfer", #"{"amount":1,"referenceNumber":"x","transType":"C\ud83d"}"#, "transType"),
        ("bank-transfer", #"{"amount":true,"referenceNumber":"x","transType":"C"}"#, "amount"),
    ]

    @Test("What is no notice is rejected by the provider's own field name", arguments: rejected)
    func rejections(mapping: String, payload: String, field: String) throws {
        let rejection = try #require(throws: NoticeRejection.self) { try read(payload, by: mapping) }
        #expect(rejection.field == field)
    }

    @Test("Nested fields, kinds by code, and conditions that reject")
    func nested() throws {
        let mapping = try PaymentMapping(
            parsing: """
                id: data.order.no
                amount: {field: data.total, unit: cents}
                currency: {field: data.ccy, codes: {"156": CNY, "360": IDR}}
                kind: {field: event, codes: {PAID: payment, BACK: refund}}
                conditions:
                  - {field: status, values: [OK, "1"], otherwise: reject}
                """, file: "nested.yaml")
        let decoder = MappedNoticeDecoder(mapping: mapping, defaultCurrency: .CNY)
        let payload = #"{"event":"BACK","status":1,"data":{"order":{"no":"7"},"total":"1234500","ccy":"360"}}"#
        let idr = try #require(Currency("IDR"))
        #expect(
            try decoder.decode(Array(payload.utf8))
                == .notice(PaymentNotice(id: try PaymentID("7"), money: try Money("12345", idr), kind: .refund)))
        let failed = payload.replacing("\"status\":1", with: "\"status\":0")
        #expect(
            throws: NoticeRejection(
                id: try PaymentID("7").of(.refund), field: "status", problem: "expected OK or 1, found \"0\"")
        ) { try decoder.decode(Array(failed.utf8)) }
    }

    @Test("Hundredths of a currency without decimals are kept, and never rounded")
    func excessDecimals() throws {
        let money = try Money("1.5", try #require(Currency("VND")))
        #expect(
            try decode(
                #"{"no":"7","total":150}"#,
                by: "id: no\namount: {field: total, unit: cents}\ncurrency: {constant: VND}\n")
                == .notice(PaymentNotice(id: try PaymentID("7"), money: money)))
    }

    private func decode(_ payload: String, by mapping: String) throws -> DecodedNotice {
        let mapping = try PaymentMapping(parsing: mapping, file: "m.yaml")
        return try MappedNoticeDecoder(mapping: mapping, defaultCurrency: .CNY).decode(Array(payload.utf8))
    }

    @Test(
        "A condition is met by the value that it writes, as a value or as a string; numbers are compared by value",
        arguments: [
            ("true", "true", true), ("true", #""true""#, true), ("'true'", "true", true), ("True", "true", true),
            ("true", "false", false), ("true", "1", false), ("false", "false", true), ("-1", "-1", true),
            ("-1", #""-1""#, true), ("1", "1.0", true), ("1.0", "1", true), ("1", "10e-1", true), ("0", "-0.0", true),
            ("1", "1.01", false), ("1", "-1", false), ("100", "1E2", true), ("'01'", "1", false),
            ("'01'", #""01""#, true),
            ("1e400", "10e399", true), ("1", #""1.0""#, false), ("null", "null", true),
            ("12345678901234567890", "12345678901234567890.0", true),
            ("12345678901234567890", "12345678901234567891", false),
        ])
    func conditions(written: String, value: String, isMet: Bool) throws {
        let mapping =
            "id: no\namount: {field: total, unit: cents}\nconditions: [{field: ok, values: [\(written)], otherwise: ignore}]"
        let decoded = try decode(#"{"no":"7","total":1,"ok":\#(value)}"#, by: mapping)
        if case .notice = decoded { #expect(isMet) } else { #expect(!isMet) }
    }

    @Test("A kind may be told by a boolean, and a code by a number of the same value")
    func booleanKind() throws {
        let mapping = """
            id: no
            amount: {field: total, unit: cents}
            kind: {field: refund, codes: {true: refund, false: payment, null: refund}}
            channel: {field: way, codes: {1: alipay, -1: wechat}}
            """
        for (value, kind) in [("true", PaymentNotice.Kind.refund), (#""false""#, .payment), ("null", .refund)] {
            let notice = PaymentNotice(
                id: try PaymentID("7"), money: try Money("0.01", .CNY), kind: kind, channel: "wechat")
            #expect(try decode(#"{"no":"7","total":1,"refund":\#(value),"way":-1.0}"#, by: mapping) == .notice(notice))
        }
    }

    @Test(
        "A string or a number with a point is no count of cents",
        arguments: [#""88.00""#, "88.00", "2.0e2", #""1.50""#])
    func centsWithPoint(total: String) throws {
        let rejection = try #require(throws: NoticeRejection.self) {
            try decode(#"{"no":"7","total":\#(total)}"#, by: "id: no\namount: {field: total, unit: cents}")
        }
        #expect(
            rejection.description.hasPrefix(
                "total: expected a whole number without a point"))
    }

    @Test(
        "Separators that a mapping names are read in their places, and refused elsewhere",
        arguments: [
            (#""1.234.567,50""#, "1234567.5"), (#""10.000""#, "10000"), (#""500""#, "500"), (#""12,5""#, "12.5"),
            (#""1.50.000""#, "150000"), ("1500.5", "1500.5"), (#""1.5""#, nil), (#""1.2345""#, nil),
            (#""1,234,567""#, nil),
            (#""1.000,000""#, nil), (#"".000""#, nil), (#""1..000""#, nil), (#""0.500""#, nil), (#""00.500""#, nil),
            (#""0.000.005""#, nil), (#""001.234""#, nil), (#""10.00.0""#, nil), ("10.000", nil),
            (#""""#, nil),
        ] as [(String, String?)])
    func separators(total: String, amount: String?) throws {
        let mapping = """
            id: no
            amount: {field: total, unit: decimal, thousands: ".", decimal: ","}
            """
        let payload = #"{"no":"7","total":\#(total)}"#
        if let amount {
            let notice = PaymentNotice(id: try PaymentID("7"), money: try Money(amount, .CNY))
            #expect(try decode(payload, by: mapping) == .notice(notice))
        } else {
            let rejection = try #require(throws: NoticeRejection.self) { try decode(payload, by: mapping) }
            #expect(rejection.field == "total")
        }
    }

    @Test("A path leads into a list by the place of an element, and a missing one says that there is a list")
    func lists() throws {
        let mapping = "id: pix.0.endToEndId\namount: {field: pix.0.valor, unit: decimal}"
        let payload = #"{"pix":[{"endToEndId":"E1","valor":"5.00"}]}"#
        #expect(
            try decode(payload, by: mapping)
                == .notice(PaymentNotice(id: try PaymentID("E1"), money: try Money("5", .CNY))))
        let rejection = try #require(throws: NoticeRejection.self) {
            try decode(payload, by: "id: pix.endToEndId\namount: {field: pix.0.valor, unit: decimal}")
        }
        #expect(
            rejection.description
                == "pix.endToEndId: this field is missing; pix is a list, whose first element is pix.0")
    }

    @Test(
        "An empty text in an optional field is as null, unless the mapping has a code for it",
        arguments: [
            ("currency: {field: x}", "CNY"), ("currency: {field: x, codes: {\"156\": HKD}}", "CNY"),
            ("currency: {field: x, codes: {\"\": HKD}}", "HKD"), ("channel: {field: x}", "CNY"),
            ("kind: {field: x}", "CNY"), ("paid_at: {field: x, format: seconds}", "CNY"),
        ])
    func emptyTexts(line: String, currency: String) throws {
        let notice = PaymentNotice(id: try PaymentID("1"), money: try Money("5", try #require(Currency(currency))))
        #expect(
            try decode(#"{"no":1,"sum":"5","x":""}"#, by: "id: no\namount: {field: sum, unit: decimal}\n\(line)")
                == .notice(notice))
    }

    @Test(
        "A path into a text that holds JSON is refused, or ignored, with that reason",
        arguments: [#"{\"no\":1,\"ok\":1}"#, #" [{\"no\":1}] "#])
    func jsonInText(text: String) throws {
        let payload = #"{"no":1,"sum":"5","data":"\#(text)"}"#
        let reason = "; data is a text that holds JSON: the sender must leave out the quotes around it"
        let rejection = try #require(throws: NoticeRejection.self) {
            try decode(payload, by: "id: no\namount: {field: data.sum, unit: decimal}")
        }
        #expect(rejection.description == "data.sum: this field is missing\(reason)")
        let condition = "conditions: [{field: data.ok, values: [1], otherwise: ignore, absent: ignore}]"
        #expect(
            try decode(payload, by: "id: no\namount: {field: sum, unit: decimal}\n\(condition)")
                == .ignoredByAbsence(reason: "data.ok is missing\(reason)"))
    }

    @Test("A path into any other text is a missing field", arguments: ["7", "true", "{", "", "{no:1}"])
    func pathIntoText(text: String) throws {
        let rejection = try #require(throws: NoticeRejection.self) {
            try decode(#"{"no":1,"data":"\#(text)"}"#, by: "id: no\namount: {field: data.sum, unit: decimal}")
        }
        #expect(rejection.description == "data.sum: this field is missing")
    }

    @Test("Fields that name a payment together give each their own id, and a broken message no other one's")
    func joinedIDs() throws {
        let mapping = "id: [trade, request]\namount: {field: total, unit: cents}"
        for (members, id) in [
            (#""trade":"T1""#, "T1"), (#""trade":"T1","request":"R1""#, "T1/R1"), (#""trade":"T1/R1""#, "T1%2FR1"),
            (#""trade":"T1","request":"","x":0"#, "T1"), (#""trade":7,"request":8"#, "7/8"),
        ] {
            let notice = PaymentNotice(id: try PaymentID(id), money: try Money("0.01", .CNY))
            #expect(try decode("{\(members),\"total\":1}", by: mapping) == .notice(notice))
        }
        for (payload, id) in [
            (#"{"request":"R1","total":1}"#, nil), (#"{"trade":"T1","total":1,"x":NaN,"request":"R1"}"#, nil),
            (#"{"trade":"T1","request":"R1","total":1,"x":NaN}"#, "T1/R1"),
            // A number that may have been cut is no id.
            (#"{"total":1,"request":"R1","trade":20261"#, nil), (#"{"total":1,"request":"R1","trade":123abc}"#, nil),
        ] {
            let rejection = try #require(throws: NoticeRejection.self) { try decode(payload, by: mapping) }
            #expect(rejection.id?.text == id)
        }
    }

    @Test(
        "A time may have a fraction, and one that cannot be read costs no payment",
        arguments: [
            ("seconds", "1795227300", "2026-11-21T02:15:00Z"), ("seconds", "1795227300.25", "2026-11-21T02:15:00.250Z"),
            ("seconds", #""1795227300.2567""#, "2026-11-21T02:15:00.256Z"), ("seconds", #""yesterday""#, nil),
            ("milliseconds", "1795227300250", "2026-11-21T02:15:00.250Z"),
            ("milliseconds", "1795227300250.75", "2026-11-21T02:15:00.250Z"), ("seconds", #""1795227300.""#, nil),
            ("yyyy-MM-dd HH:mm:ss", #""2026-11-21 10:15:00""#, "2026-11-21T02:15:00Z"),
            ("yyyy-MM-dd HH:mm:ss", #""2026-11-21 10:15:00.123456""#, "2026-11-21T02:15:00.123Z"),
            ("yyyy-MM-dd HH:mm:ss", #""2026-13-21 10:15:00""#, nil),
            ("yyyy-MM-dd HH:mm:ss", #""2026-11-21 10:15:00.""#, nil),
            ("yyyyMMddHHmmss", "20261121101500", "2026-11-21T02:15:00Z"), ("rfc3339", "true", nil),
            ("rfc3339", #""2026-11-21T10:15:00.5+0800""#, "2026-11-21T02:15:00.500Z"),
        ] as [(String, String, String?)])
    func times(format: String, value: String, time: String?) throws {
        let offset = format.contains("y") ? ", utc_offset: \"+08:00\"" : ""
        let mapping = "id: no\namount: {field: total, unit: cents}\npaid_at: {field: t, format: \(format)\(offset)}"
        guard case .notice(let notice, let unread) = try decode(#"{"no":"7","total":1,"t":\#(value)}"#, by: mapping)
        else {
            Issue.record("ignored")
            return
        }
        #expect(notice.paidAt == time.flatMap(Timestamp.init(rfc3339:)))
        #expect((unread.paidAt?.field == "t") == (time == nil))
    }

    /// Each with the line and key that the error must name.
    static let wrong: [(text: String, place: String)] = [
        ("id: a\namount: {field: b, unit: pennies}", "m.yaml:2: amount.unit:"),
        ("id: a\namount: {field: b}", "m.yaml:2: amount.unit:"),
        ("id: a\namount: {field: b..c, unit: minor}", "m.yaml:2: amount.field:"),
        ("amount: {field: b, unit: minor}", "m.yaml:1: id:"),
        ("id: a\namount: {field: b, unit: minor}\ncurrency: {constant: YUAN}", "m.yaml:3: currency:"),
        ("id: a\namount: {field: b, unit: minor}\nchannel: {field: c, constant: d}", "m.yaml:3: channel:"),
        ("id: a\namount: {field: b, unit: minor}\nkind: {field: c, codes: {x: Gift!}}", "m.yaml:3: kind:"),
        ("id: a\namount: {field: b, unit: minor}\npaid_at: {field: t, format: yyyyMMdd}", "m.yaml:3: paid_at.format:"),
        ("id: a\namount: {field: b, unit: minor}\nconditons: []", "m.yaml:3: conditons:"),
        (
            "id: a\namount: {field: b, unit: minor}\nconditions: [{field: c, values: [], otherwise: ignore}]",
            "m.yaml:3: conditions[0].values:"
        ),
        (
            "id: data.no\namount: {field: b, unit: minor}\nconditions: [{field: data, values: [1], otherwise: ignore}]",
            "m.yaml:3: conditions[0]: can never be met: no message has a value at both data and data.no"
        ),
        (
            "id: a\namount: {field: b, unit: minor}\nconditions:\n  - {field: c, values: [1], otherwise: ignore}\n"
                + "  - {field: c, values: [2, 3], otherwise: reject}",
            "m.yaml:5: conditions[1]: can never be met: c must also be 1"
        ),
        (
            "id: a\namount: {field: b, unit: minor}\nconditions: [{field: b, values: [true], otherwise: ignore}]",
            "m.yaml:3: conditions[0]: can never be met: an amount has digits"
        ),
        (
            "id: a\namount: {field: b, unit: decimal}\nconditions: [{field: b, values: [-5, 5 baht], otherwise: ignore}]",
            "m.yaml:3: conditions[0]: can never be met: an amount has digits"
        ),
        (
            "id: a\namount: {field: b, unit: minor}\nconditions: [{field: b, values: [\"> 0\"], otherwise: ignore}]",
            "m.yaml:3: conditions[0].values[0]: \"> 0\" in values is compared as it stands"
        ),
        (
            "id: a\namount: {field: b, unit: minor}\nconditions: [{field: c, values: [x, \"!=-1\"], otherwise: reject}]",
            "m.yaml:3: conditions[0].values[1]: \"!=-1\" in values is compared as it stands"
        ),
        (
            "id: a\namount: {field: b, unit: minor}\nconditions: [{field: a, values: [null], otherwise: ignore}]",
            "m.yaml:3: conditions[0]: can never be met: an id is not null"
        ),
        (
            "id: a\namount: {field: b, unit: minor}\nconditions: [{field: c, values: [\"\u{FFFD}\"], otherwise: ignore}]",
            "m.yaml:3: conditions[0]: can never be met: U+FFFD is refused"
        ),
        (
            "id: a\namount: {field: b, unit: minor}\nconditions:\n"
                + ["A, B", "B, C", "A, C"].map { "  - {field: c, values: [\($0)], otherwise: ignore}\n" }.joined(),
            "m.yaml:6: conditions[2]: can never be met: c must also be A or B, and B or C"
        ),
        (
            "id: a\namount: {field: b, unit: minor}\nchannel: {field: c, codes: {~: x, null: y}}",
            "m.yaml:3: channel.codes.null:"
        ),
        (
            "id: a\namount: {field: b, unit: minor}\n"
                + "paid_at: {field: t, format: \"yyyy-MM-dd HH:mm:ss.SSS\", utc_offset: \"+08:00\"}",
            "m.yaml:3: paid_at.format:"
        ),
        ("id: []\namount: {field: b, unit: minor}", "m.yaml:1: id:"),
        ("id: a\namount: {field: b, unit: minor, thousands: \".\"}", "m.yaml:2: amount.thousands:"),
        ("id: a\namount: {field: b, unit: decimal, thousands: \".\"}", "m.yaml:2: amount.thousands:"),
        ("id: a\namount: {field: b, unit: decimal, decimal: \";\"}", "m.yaml:2: amount.decimal:"),
        (
            "id: a\namount: {field: b, unit: minor}\nchannel: {field: c, codes: {1: x, 1.0: y}}",
            "m.yaml:3: channel.codes.1.0:"
        ),
    ]

    @Test("A mistake in a mapping is told with file, line and key", arguments: wrong)
    func mistakes(text: String, place: String) throws {
        let error = try #require(throws: YAMLError.self) { try PaymentMapping(parsing: text, file: "m.yaml") }
        #expect(error.description.hasPrefix(place), "\(error)")
    }
}
