import SoundboxCore
import Synchronization
import Testing

@testable import SoundboxBox

@Suite("What is remembered of the messages that brought payments")
struct MessageAgesTests {
    private final class SteppingClock: Sendable {
        let now = Mutex(Duration.zero)
    }

    private let clock = SteppingClock()
    private let ages: MessageAges

    init() {
        ages = MessageAges { [clock] in clock.now.withLock { $0 } }
    }

    private func message(isLive: Bool = false, expiry: Duration? = nil) -> FeedMessage {
        FeedMessage(topic: .payments, payload: [], isLive: isLive, expiry: expiry)
    }

    @Test("Each grows older by a clock that is never set; the first message counts; one that says nothing is not kept")
    func ageing() throws {
        let ids = try ["live", "soon", "plain", "other"].map { try PaymentID($0) }
        #expect(ages.record(ids[0], message(isLive: true)))
        #expect(ages.record(ids[1], message(expiry: .seconds(10))))
        #expect(!ages.record(ids[2], message()))
        clock.now.withLock { $0 = .seconds(9) }
        #expect(!ages.record(ids[1], message(isLive: true)))
        #expect(
            ages.of(ids) == [
                ids[0]: MessageAge(age: .seconds(9), isLive: true),
                ids[1]: MessageAge(age: .seconds(9), isLive: false, expiry: .seconds(10)),
            ])
        ages.forget([ids[0], ids[3]])
        #expect(Array(ages.of(ids).keys) == [ids[1]])
    }

    @Test("Each knows how long others have sounded since it came, and never longer than it is old")
    func behindSentences() throws {
        let ids = try ["first", "second"].map { try PaymentID($0) }
        _ = ages.record(ids[0], message(isLive: true))
        clock.now.withLock { $0 = .seconds(10) }
        ages.sounded(for: .seconds(4))
        _ = ages.record(ids[1], message(isLive: true))
        clock.now.withLock { $0 = .seconds(12) }
        ages.sounded(for: .seconds(3))
        #expect(ages.of(ids).mapValues(\.behindSentences) == [ids[0]: .seconds(7), ids[1]: .seconds(2)])
    }

    @Test("Beyond ten thousand the oldest are forgotten, and the newest are kept")
    func bounded() throws {
        let ids = try (0...MessageAges.most).map { try PaymentID("\($0)") }
        for (number, id) in ids.enumerated() {
            clock.now.withLock { $0 = .seconds(number) }
            _ = ages.record(id, message(isLive: true))
        }
        let known = ages.of(ids)
        #expect(known.count == MessageAges.most / 2)
        #expect(known[ids[0]] == nil && known[ids[MessageAges.most]] != nil)
    }
}
