import SoundboxCore
import Testing

@Suite("The clock on the wall")
struct LocalTimeTests {
    @Test(
        "The minute of the day is that of the clock on the wall",
        arguments: [
            (28_800, "2026-11-26T16:00:00Z", 0), (28_800, "2026-11-26T15:59:59.999Z", 1439),
            (-39_600, "2026-11-26T10:59:00Z", 1439), (20_700, "1969-12-31T18:14:59Z", 1439),
            (0, "1970-01-01T00:01:00Z", 1),
        ] as [(Int64, String, Int)])
    func minutes(offset: Int64, time: String, minute: Int) throws {
        #expect(LocalTime { _ in offset }.minuteOfDay(at: try #require(Timestamp(rfc3339: time))) == minute)
    }
}
