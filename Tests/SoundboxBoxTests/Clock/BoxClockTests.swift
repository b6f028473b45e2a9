import SoundboxCore
import Synchronization
import Testing

@testable import SoundboxBox

@Suite("Whether the clock can be believed")
struct BoxClockTests {
    private static let noon = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    private static let in2086 = Timestamp(millisecondsSince1970: 3_688_000_000_000)
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
        Case(description: "60 years ahead", now: in2086, isBelieved: false),
        Case(description: "60 years ahead, by a server", now: in2086, isSynchronised: true, isBelieved: false),
        Case(description: "60 years ahead, by a battery clock", now: in2086, hasBattery: true, isBelieved: false),
        Case(
            description: "1,024 weeks ahead, as a receiver of GPS that has lost count",
            now: Timestamp(millisecondsSince1970: noon.millisecondsSince1970 + 1024 * 7 * 86_400_000),
            isSynchronised: true, isBelieved: false),
        Case(
            description: "ten years from now", now: Timestamp(millisecondsSince1970: 2_110_881_600_000),
            isBelieved: true),
        Case(
            description: "right, after a payment that came when it was 60 years ahead", newestKnown: in2086,
            isBelieved: true),
    ]

    @Test("By a time server, by a battery, or by not being behind what is known", arguments: cases)
    func belief(example: Case) {
        let clock = BoxClock(newestKnown: example.newestKnown, hasBattery: example.hasBattery) {
            BoxClock.Signs(now: example.now, isSynchronised: example.isSynchronised, offset: .zero)
        }
        #expect(clock.timeIfSet == (example.isBelieved ? example.now : nil))
    }

    @Test("A clock that cannot be right is a fault with a name; one that is not set yet is none")
    func fault() {
        func fault(_ now: Timestamp) -> String? {
            BoxClock(newestKnown: nil, hasBattery: false) {
                BoxClock.Signs(now: now, isSynchronised: true, offset: .zero)
            }.fault
        }
        #expect(fault(Self.in2086)?.contains("2086") == true)
        // The same words a second later: a fault that changed all the time would be told all the time.
        #expect(fault(Timestamp(millisecondsSince1970: Self.in2086.millisecondsSince1970 + 1000)) == fault(Self.in2086))
        #expect(fault(Self.noon) == nil)
        #expect(fault(Self.epoch) == nil)
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
