import SoundboxCore
import Synchronization
import Testing

@testable import SoundboxRuntime

@Suite("Whether the clock can be believed")
struct BoxClockTests {
    private static let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    private static let epoch = Timestamp(millisecondsSince1970: 60_000)

    struct Case: Sendable, CustomStringConvertible {
        var description: String
        var now = BoxClockTests.noon
        var isSynchronised = false
        var hasBattery = false
        var newestKnown: Timestamp?
        var isBelieved: Bool
    }

    static let cases = [
        Case(description: "a plausible time and an empty inbox", isBelieved: true),
        Case(description: "1970", now: epoch, isBelieved: false),
        Case(description: "1970, and the kernel follows a server", now: epoch, isSynchronised: true, isBelieved: true),
        Case(
            description: "behind the newest payment",
            newestKnown: Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + 1), isBelieved: false),
        Case(
            description: "behind the newest payment, which came under a wrong clock", isSynchronised: true,
            newestKnown: Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + 1), isBelieved: true),
        Case(
            description: "behind the newest payment, by a battery clock", hasBattery: true,
            newestKnown: Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + 1), isBelieved: true),
    ]

    @Test("By a time server, by a battery, or by not being behind what is known", arguments: cases)
    func belief(example: Case) {
        let clock = BoxClock(newestKnown: example.newestKnown, hasBattery: example.hasBattery) {
            BoxClock.Signs(now: example.now, isSynchronised: example.isSynchronised, offset: .zero)
        }
        #expect(clock.timeIfSet == (example.isBelieved ? example.now : nil))
    }

    @Test("A step forward by a minute is noticed once; small steps and steps back are not")
    func jumps() {
        final class Offset: Sendable { let seconds = Mutex(0) }
        let offset = Offset()
        let clock = BoxClock(newestKnown: nil, hasBattery: false) {
            BoxClock.Signs(
                now: Self.noon, isSynchronised: false, offset: .seconds(offset.seconds.withLock { $0 }))
        }
        for (seconds, isJump) in [(0, false), (59, false), (119, true), (119, false), (0, false), (3600, true)] {
            offset.seconds.withLock { $0 = seconds }
            #expect(clock.hasJumpedForward() == isJump, "\(seconds)")
        }
    }
}
