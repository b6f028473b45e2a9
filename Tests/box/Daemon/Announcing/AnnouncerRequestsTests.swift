import SoundboxCore
import SoundboxSpeech
import Testing

@testable import SoundboxBox

@Suite("What the announcer has been asked for", .timeLimit(.minutes(15)))
struct AnnouncerRequestsTests {
    private let requests = AnnouncerRequests()

    private func takePrompts() -> [Prompt] {
        requests.with { asked in
            var prompts: [Prompt] = []
            while let prompt = asked.prompts.popFirst() { prompts.append(prompt) }
            return prompts
        }
    }

    @Test("Of requests that are repeated only the last one of a kind is kept")
    func coalesced() {
        for _ in 1...100_000 {
            requests.inboxChanged()
            requests.play(.last)
            requests.say(.volumeMaximum)
        }
        requests.play(.today)
        requests.say(.volumeMinimum)
        #expect(requests.with { $0.request } == .today)
        #expect(takePrompts() == [.volumeMinimum])
    }

    @Test("A code for a phone neither replaces another request nor is replaced by one")
    func code() {
        let code = Announcer.AskedCode(SignInCode(), askedAt: .zero)
        requests.play(.last)
        requests.play(.signInCode(code))
        requests.play(.today)
        #expect(requests.with { $0.code } == code)
        #expect(requests.with { $0.request } == .today)
    }

    @Test("A fault and a refused payment are not lost behind prompts about something else, and come first")
    func concerns() {
        for _ in 1...1000 {
            for prompt in [Prompt.volumeMinimum, .storageFault, .paymentUnreadable, .cancelled, .volumeMaximum] {
                requests.say(prompt)
            }
        }
        #expect(takePrompts() == [.storageFault, .paymentUnreadable, .cancelled, .volumeMaximum])
    }

    @Test("A prompt that is taken back is not heard of")
    func withdrawn() {
        requests.say(.networkLost)
        requests.withdraw(.networkRestored)
        requests.withdraw(.networkLost)
        #expect(takePrompts() == [])
    }

    @Test("A wait ends when something is asked for, also what was asked before it began")
    func waiting() async {
        requests.inboxChanged()
        await requests.wait(atMost: nil)
        async let woken: Void = requests.wait(atMost: nil)
        await Task.yield()
        requests.say(.greeting)
        await woken
    }

    @Test("A wait that ended early does not end the next one")
    func endedEarly() async {
        for _ in 1...10 {
            requests.say(.greeting)
            await requests.wait(atMost: .seconds(3600))
        }
        let limit = Duration.milliseconds(200)
        let begin = ContinuousClock.now
        await requests.wait(atMost: limit)
        #expect(ContinuousClock.now - begin >= limit)
    }

    @Test("A wait ends when its time has passed, and when it is cancelled")
    func released() async {
        await requests.wait(atMost: .milliseconds(1))
        let waiter = Task { await requests.wait(atMost: nil) }
        waiter.cancel()
        await waiter.value
    }
}
