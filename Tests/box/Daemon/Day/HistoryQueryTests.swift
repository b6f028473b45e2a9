import SoundboxBox
import SoundboxCore
import Testing

@Suite("Questions about the history")
struct HistoryQueryTests {
    /// In the middle of 2026-11-22, which begins at 04:00.
    private let calendar = BusinessCalendar(cutOver: 240)
    private var today: BusinessDay { calendar.day(at: Timestamp(millisecondsSince1970: 1_795_348_800_000)) }

    private func range(_ parameters: (String, String)...) throws -> [String] {
        let query = try HistoryQuery(parameters.map { ($0.0, $0.1) })
        let filter = try query.filter(calendar, today: today)
        return [filter.from, filter.to].map { $0?.description ?? "-" }
    }

    @Test("Days are business days, and a range holds the day that it ends with")
    func days() throws {
        #expect(try range(("day", "today")) == ["2026-11-22T04:00:00.000Z", "2026-11-23T04:00:00.000Z"])
        #expect(try range(("day", "yesterday")) == ["2026-11-21T04:00:00.000Z", "2026-11-22T04:00:00.000Z"])
        #expect(try range(("from", "7d")) == ["2026-11-16T04:00:00.000Z", "-"])
        #expect(try range(("from", "1d")) == ["2026-11-22T04:00:00.000Z", "-"])
        #expect(
            try range(("from", "2026-11-01"), ("to", "2026-11-20"))
                == ["2026-11-01T04:00:00.000Z", "2026-11-21T04:00:00.000Z"])
        #expect(try range(("to", "2026-11-01T08:00:00+08:00")) == ["-", "2026-11-01T00:00:00.000Z"])
        #expect(try range() == ["-", "-"])
    }

    @Test("While nobody knows which day it is, dates can still be asked for")
    func noClock() throws {
        let relative = try HistoryQuery([("day", "today")])
        #expect { try relative.filter(calendar, today: nil) } throws: { ($0 as? ControlRefusal)?.cause == .undated }
        let date = try HistoryQuery([("day", "2026-11-22")])
        #expect(try date.filter(calendar, today: nil).from?.description == "2026-11-22T04:00:00.000Z")
    }

    @Test("What is chosen is handed on")
    func filter() throws {
        let query = try HistoryQuery([
            ("channel", "alipay"), ("channel", "wechat"), ("currency", "USD"), ("kind", "refund"), ("kind", "deposit"),
            ("state", "expired"), ("amount", "12.50"), ("id_ends", "6789"), ("before", "17"), ("limit", "5"),
        ])
        let filter = try query.filter(calendar, today: nil)
        #expect(filter.channels == ["alipay", "wechat"])
        #expect(filter.currencies.map(\.code) == ["USD"])
        #expect(filter.kinds.map(\.rawValue) == ["refund", "deposit"])
        #expect(filter.states == [.expired])
        #expect(filter.amount?.description == "12.5")
        #expect(filter.idEnding == "6789")
        #expect((query.before, query.limit) == (17, 5))
    }

    @Test(
        "What is not understood is refused by name",
        arguments: [
            ("day", "2026-11-31"), ("day", "2026-11-22T10:00:00Z"), ("from", "0d"), ("from", "99999d"), ("from", "-1d"),
            ("to", "tomorrow"), ("currency", "cny"), ("kind", "Payment"), ("state", "heard"), ("before", "0"),
            ("amount", ""), ("amount", "12,5"), ("amount", "-1"), ("amount", "1e2"), ("amount", "12."),
            ("amount", " 1"),
            ("amount", "0.0000000001"), ("id_ends", ""), ("id_ends", "6\n9"), ("id_ends", "\u{7F}"),
            ("id_ends", String(repeating: "7", count: 65)),
            ("limit", "x"), ("limit", "-1"), ("colour", "red"),
        ])
    func refuses(name: String, value: String) {
        #expect { try HistoryQuery([(name, value)]) } throws: {
            "\($0)".hasPrefix(name) || "\($0)".hasPrefix("\"\(name)\"")
        }
    }

    @Test("An id's end may be as long as 64 characters")
    func longestEnding() throws {
        let ending = String(repeating: "款", count: 64)
        #expect(try HistoryQuery([("id_ends", ending)]).filter(calendar, today: nil).idEnding == ending)
    }

    @Test("A range that ends before it begins, and a day beside a range, are refused")
    func contradictions() throws {
        #expect(throws: ControlRefusal.self) { try range(("from", "2026-11-20"), ("to", "2026-11-18")) }
        #expect(throws: ControlRefusal.self) { try HistoryQuery([("day", "today"), ("from", "7d")]) }
    }
}
