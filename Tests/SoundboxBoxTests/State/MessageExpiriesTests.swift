import SoundboxCore
import Synchronization
import Testing

@testable import SoundboxBox

@Suite("Messages that expire")
struct MessageExpiriesTests {
    private final class SteppingClock: Sendable {
        let now = Mutex(Duration.zero)
    }

    private let clock = SteppingClock()
    private let expiries: MessageExpiries

    init() {
        expiries = MessageExpiries { [clock] in clock.now.withLock { $0 } }
    }

    @Test("Each is past when its time has run out, and not before")
    func runsOut() throws {
        try expiries.note(PaymentID("now"), expiry: .zero)
        try expiries.note(PaymentID("soon"), expiry: .seconds(10))
        #expect(try expiries.past == [PaymentID("now")])
        clock.now.withLock { $0 = .seconds(9) }
        #expect(try expiries.past == [PaymentID("now")])
        clock.now.withLock { $0 = .seconds(10) }
        #expect(try expiries.past == [PaymentID("now"), PaymentID("soon")])
    }

    @Test("Beyond ten thousand the oldest are forgotten, which makes them news again, and the newest are kept")
    func bounded() throws {
        for number in 0...MessageExpiries.most { try expiries.note(PaymentID("\(number)"), expiry: .zero) }
        let past = expiries.past
        #expect(past.count == MessageExpiries.most / 2 + 1)
        #expect(try past.contains(PaymentID("\(MessageExpiries.most)")) && !past.contains(PaymentID("0")))
    }
}
