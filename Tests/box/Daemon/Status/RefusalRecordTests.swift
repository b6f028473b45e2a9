import SoundboxCore
import Testing

@testable import SoundboxBox

@Suite("Which notices were not announced because of what they say")
struct RefusalRecordTests {
    private var record = RefusalRecord()

    private func notices(_ count: Int, reason: String = "amount: wrong") -> [RefusedNotices.Notice] {
        [RefusedNotices.Notice](
            repeating: .init(id: nil, reason: reason, at: Timestamp(millisecondsSince1970: 0)), count: count)
    }

    /// Of whether the box is to say so.
    private mutating func note(_ count: Int, at seconds: Int) -> Bool {
        record.add(notices(count), at: .seconds(seconds))
    }

    private mutating func count(at seconds: Int) -> Int? {
        record.forget(at: .seconds(seconds))
        return record.notices?.count
    }

    @Test("Each counts for 24 hours, to the minute, and nothing is told when the last one no longer does")
    mutating func counted() {
        let day = 86_400
        #expect(count(at: 0) == nil)
        _ = note(2, at: 0)
        _ = note(1, at: 59)
        _ = note(4, at: 3600)
        #expect(count(at: 3600) == 7)
        #expect(count(at: day - 1) == 7)
        #expect(count(at: day + 60) == 4)
        #expect(count(at: day + 3599) == 4)
        #expect(count(at: day + 3600) == nil)
        _ = note(1, at: day + 3601)
        #expect(count(at: day + 3601) == 1)
    }

    @Test("The box says it once in a minute, however many there are; what comes meanwhile is not said later")
    mutating func said() {
        #expect(record.add([], at: .seconds(1)) == false)
        #expect(note(1000, at: 1))
        #expect(!note(1, at: 1))
        #expect(!note(1, at: 60))
        #expect(note(1, at: 61))
        #expect(!note(1, at: 120))
        #expect(note(1, at: 86_400))
    }

    @Test("The last one is told, of a batch as well")
    mutating func last() {
        _ = record.add(notices(2) + notices(1, reason: "currency: wrong"), at: .seconds(1))
        #expect(record.notices?.last.reason == "currency: wrong")
        _ = record.add(notices(1, reason: "kind: wrong"), at: .seconds(2))
        #expect(record.notices?.last.reason == "kind: wrong")
    }

    @Test("A flood that lasts for days is counted as what came in 24 hours")
    mutating func flood() {
        for second in stride(from: 0, to: 3 * 86_400, by: 10) { _ = note(1, at: second) }
        let count = record.notices?.count ?? 0
        #expect((8634...8640).contains(count), "\(count)")
        #expect(record.minutes.count <= 1440)
    }
}
