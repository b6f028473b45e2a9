import SoundboxCore
import Testing

@Suite("Payment notices as they are written")
struct PaymentNoticeJSONTests {
    private let decoder = PaymentNoticeDecoder(defaultCurrency: .CNY)

    @Test("A notice with all fields is written in the documented order, and read as it was")
    func full() throws {
        let notice = PaymentNotice(
            id: try PaymentID("ü/%2F \u{1F600}"), money: try Money("0.01", Currency("KWD") ?? .CNY), kind: .refund,
            channel: "alipay", paidAt: Timestamp(millisecondsSince1970: 1), text: "a\"b\\c\u{2028}\u{7F}")
        #expect(
            notice.json.text
                == #"{"id":"ü/%2F \#u{1F600}","amount":"0.01","currency":"KWD","channel":"alipay","paid_at":"1970-01-01T00:00:00.001Z","kind":"refund","text":"a\"b\\c\u2028\u007f"}"#
        )
        #expect(try decoder.notice(in: notice.json.text) == notice)
    }

    @Test("Fields that a notice does not have are not written")
    func least() throws {
        let notice = PaymentNotice(id: try PaymentID("1"), money: try Money("12.50", .CNY))
        #expect(notice.json.text == #"{"id":"1","amount":"12.5","currency":"CNY"}"#)
        #expect(try decoder.notice(in: notice.json.text) == notice)
    }

    @Test(
        "An amount is written as boxes take it: never with three decimals of a currency that has fewer",
        arguments: [("1.2340", "CNY", "1.2340"), ("1.234", "KWD", "1.234"), ("12.5", "CNY", "12.5"), ("3", "JPY", "3")])
    func amount(given: String, currency: String, written: String) throws {
        let notice = PaymentNotice(
            id: try PaymentID("A"), money: try Money(given, try #require(Currency(currency))))
        #expect(notice.json["amount"] == .string(written))
        #expect(try decoder.notice(in: notice.json.text) == notice)
    }

    @Test("The longest text that a box says is written; one that is too long for a message is left out")
    func text() throws {
        var notice = PaymentNotice(id: try PaymentID("A"), money: try Money("1", .CNY))
        // A flag is one character of 8 bytes.
        for text in ["\u{1F1FA}\u{1F1F8}", "x"] {
            let longest = String(repeating: text, count: CustomMessage.longestText)
            notice.text = longest
            #expect(notice.json["text"] == .string(longest))
        }
        notice.text = String(repeating: "x", count: 60_000)
        #expect(notice.json["text"] == nil)
    }
}
