import SoundboxCore
import SoundboxSpeech
import Testing

@testable import SoundboxBox

@Suite("What the announcer has not heard yet", .timeLimit(.minutes(15)))
struct AnnouncerEventsTests {
    private let events = AnnouncerEvents()

    private func next(_ count: Int) async -> [Announcer.Event] {
        var iterator = events.makeAsyncIterator()
        var received: [Announcer.Event] = []
        while received.count < count, let event = await iterator.next() { received.append(event) }
        return received
    }

    @Test("Of whatever is asked for again and again, the last word is kept, and nothing else")
    func coalesced() async {
        for _ in 1...100_000 {
            events.yield(.somethingMayWait)
            events.yield(.requested(.last))
            events.yield(.promptRequested(.volumeMaximum))
        }
        events.yield(.requested(.today))
        events.yield(.promptRequested(.volumeMinimum))
        events.yield(.stopRequested)
        #expect(
            await next(4) == [
                .stopRequested, .somethingMayWait, .promptRequested(.volumeMinimum), .requested(.today),
            ])
        events.yield(.waited)
        #expect(await next(1) == [.waited])
    }

    @Test("A fault and a refused payment are not lost behind prompts about something else, and come first")
    func concerns() async {
        for _ in 1...1000 {
            events.say(.volumeMinimum)
            events.say(.storageFault)
            events.say(.paymentUnreadable)
            events.say(.cancelled)
            events.say(.volumeMaximum)
        }
        events.yield(.recorded)
        let prompts: [Prompt] = [.storageFault, .paymentUnreadable, .cancelled, .volumeMaximum]
        #expect(await next(5) == prompts.map { .promptRequested($0) } + [.recorded])
    }

    @Test("A prompt that is taken back is not heard of, and the announcer is told in case it has taken it")
    func withdrawn() async {
        for _ in 1...1000 {
            events.say(.networkLost)
            events.withdraw(.networkLost)
        }
        events.withdraw(.networkRestored)
        events.say(.networkRestored)
        events.yield(.recorded)
        #expect(
            await next(3) == [.promptWithdrawn(.networkLost), .promptRequested(.networkRestored), .recorded])
    }

    @Test("Answers keep their order and come behind what was asked meanwhile")
    func answers() async {
        events.yield(.played(.aloud))
        events.yield(.recorded)
        events.yield(.stopRequested)
        #expect(await next(3) == [.stopRequested, .played(.aloud), .recorded])
    }

    @Test("Of whether something rings the last word counts, and it comes before what it holds back")
    func held() async {
        events.yield(.somethingMayWait)
        for isHeld in [true, false, true] { events.yield(.held(isHeld)) }
        #expect(await next(2) == [.held(true), .somethingMayWait])
    }

    @Test("Whoever waits is woken")
    func waiting() async {
        async let received = next(1)
        await Task.yield()
        events.yield(.recorded)
        #expect(await received == [.recorded])
    }

    @Test("Whoever waits is let go when it is cancelled")
    func cancelled() async {
        let waiter = Task { await next(1) }
        waiter.cancel()
        #expect(await waiter.value == [])
    }
}
