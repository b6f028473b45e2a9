import SoundboxBox
import SoundboxCore
import Testing

@Suite("Quiet hours")
struct QuietHoursTests {
    @Test(
        "hold from their start to the minute before their end, over midnight as well",
        arguments: [
            (22 * 60, 7 * 60, 22 * 60, true), (22 * 60, 7 * 60, 22 * 60 - 1, false), (22 * 60, 7 * 60, 0, true),
            (22 * 60, 7 * 60, 7 * 60 - 1, true), (22 * 60, 7 * 60, 7 * 60, false), (22 * 60, 7 * 60, 12 * 60, false),
            (13 * 60, 15 * 60, 13 * 60, true), (13 * 60, 15 * 60, 15 * 60, false), (13 * 60, 15 * 60, 1439, false),
            (0, 1439, 0, true), (0, 1439, 1439, false),
        ])
    func contain(start: Int, end: Int, minute: Int, isQuiet: Bool) {
        #expect(QuietHours(start: start, end: end, volume: 30).contain(minute) == isQuiet)
    }
}
