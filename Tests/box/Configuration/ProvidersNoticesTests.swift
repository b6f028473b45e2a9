import SoundboxCore
import Testing

@testable import SoundboxConfiguration

/// What people who receive notices have reported, one kind after the other.
@Suite("Notices as providers send them")
struct ProvidersNoticesTests {
    struct Notice: Sendable {
        var payload: String
        var mapping: String?
        /// What is announced; `nil` where it is refused.
        var money: String?
    }

    private static let conditions = """
        id: no
        amount: {field: money, unit: decimal}
        currency: {constant: CNY}
        conditions:
          - {field: success, values: [true], otherwise: ignore}
          - {field: code, values: [0, -1], otherwise: ignore}
        """
    private static let cents = "id: no\namount: {field: total, unit: cents}\ncurrency: {constant: CNY}"
    private static let list =
        "id: pix.0.endToEndId\namount: {field: pix.0.valor, unit: decimal}\ncurrency: {constant: BRL}"

    static let notices =
        [
            Notice(payload: #"{"id":"@","amount":"10.000","currency":"VND"}"#),
            Notice(payload: #"{"id":"@","amount":"12.500","currency":"KRW"}"#),
            Notice(payload: #"{"id":"@","amount":"1.000","currency":"JPY"}"#),
            Notice(payload: #"{"id":"@","amount":"1.500","currency":"IDR"}"#),
            Notice(payload: #"{"id":"@","amount":"10000.00","currency":"IDR"}"#, money: "10000 IDR"),
            Notice(payload: #"{"id":"@","amount":"12.3456"}"#, money: "12.3456 CNY"),
            Notice(payload: #"{"id":"@","amount":1.5,"currency":"JPY"}"#, money: "1.5 JPY"),
            Notice(payload: #"{"no":"@","money":"5.00","success":true,"code":0}"#, mapping: conditions, money: "5 CNY"),
            Notice(
                payload: #"{"no":"@","money":"5.00","success":"true","code":-1}"#, mapping: conditions, money: "5 CNY"),
            Notice(
                payload: #"{"no":"@","money":"5.00","success":"true","code":"0"}"#, mapping: conditions, money: "5 CNY"),
            Notice(payload: #"{"no":"@","total":"88.00"}"#, mapping: cents),
            Notice(payload: #"{"no":"@","total":"1.50"}"#, mapping: cents),
            Notice(payload: #"{"no":"@","total":"2.00"}"#, mapping: cents),
            Notice(payload: #"{"no":"@","total":100}"#, mapping: cents, money: "1 CNY"),
            Notice(payload: #"{"id":"@","amount":"1,500.00"}"#),
            Notice(payload: #"{"id":"@","amount":"5.00","currency":"RMB"}"#),
            Notice(payload: #"{"id":"@","amount":"5.00","paid_at":"2026-11-26 13:10:00"}"#, money: "5 CNY"),
            Notice(payload: #"{"pix":[{"endToEndId":"E@","valor":"5.00"}]}"#, mapping: list, money: "5 BRL"),
            Notice(payload: "\u{FEFF}" + #"{"id":"@","amount":5}"#, money: "5 CNY"),
            Notice(payload: #"{"id":"@","amount":5,"currency":"cny"}"#, money: "5 CNY"),
            Notice(payload: #"{"id":"@","amount":0.30000000000000004}"#),
            Notice(payload: #"{"id":"@","amount":"5.00","nickname":"A\ud83d"}"#, money: "5 CNY"),
            Notice(payload: #"{"id":"@","amount":"5.00","nickname":"A\ud83d\ude00"}"#, money: "5 CNY"),
        ]

    @Test("Each is announced with its amount, or refused", arguments: notices)
    func reports(notice: Notice) throws {
        let reader: NoticeReader
        if let mapping = notice.mapping {
            let mapping = try PaymentMapping(parsing: mapping, file: "m.yaml")
            reader = .mapped(
                MappedNoticeDecoder(mapping: mapping, defaultCurrency: .CNY))
        } else {
            reader = .native(PaymentNoticeDecoder(defaultCurrency: .CNY))
        }
        do throws(NoticeRejection) {
            guard case .notice(let read, _)? = try reader.read(Array(notice.payload.utf8)).first else {
                Issue.record("ignored: \(notice.payload)")
                return
            }
            #expect("\(read.money)" == notice.money)
        } catch {
            #expect(notice.money == nil, "\(error)")
        }
    }
}
