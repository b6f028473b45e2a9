import SoundboxCore
import SoundboxSpeech
import Testing

@testable import SoundboxBox

@Suite("The announcer, when the box speaks of itself")
struct AnnouncerPromptTests {
    private let noon = Entries.moment
    private let heard = AnnouncerScript.Answer.outcome(.played(.aloud))

    private func play(_ prompt: Prompt) -> AnnouncerScript.Call {
        .play(
            .init(
                .prompt(prompt),
                Delivery(hasChime: false, gap: .milliseconds(200), loudness: Volume(30)...Volume(100))))
    }

    @Test("A prompt comes between announcements, only the last one asked for, and is not recorded")
    func prompt() async throws {
        let entries = try (1...3).map { try Entries.entry($0) }
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectAnnouncement(of: entries[0]) { requests in
            requests.say(.volumeMinimum)
            requests.say(.volumeMaximum)
        }
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        // One that is asked for again and again lets every payment pass that it has held up.
        script.expect(play(.volumeMaximum), heard) { requests in
            requests.say(.volumeMaximum)
            requests.inboxChanged()
        }
        script.expect(.read(limit: 1), .queue(.of(Array(entries[1...])), noon))
        script.expect(.open)
        script.expect(.begin([entries[1]]))
        script.expect(.play(.init(.notice(entries[1]))), heard)
        script.expect(.record(.notice(entries[1]), .aloud))
        script.expectAnnouncement(of: entries[2])
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expect(play(.volumeMaximum), .failed)
        script.expectLast(.rest)
        await script.run()
    }

    @Test("Prompts of different concerns wait side by side: the fault is told first, and payments pass in between")
    func promptsOfDifferentConcerns() async throws {
        let next = try Entries.entry(2)
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectAnnouncement(of: try Entries.entry(1)) { requests in
            requests.say(.storageFault)
            requests.say(.volumeMaximum)
        }
        script.expect(.read(limit: 1), .queue(.of([next]), noon))
        script.expect(play(.storageFault), heard)
        script.expectAnnouncement(of: next)
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        script.expect(play(.volumeMaximum), heard)
        script.expectLast(.rest)
        await script.run()
    }

    @Test("What is said of the network waits until no payment does, and is no louder than one")
    func networkPromptWaits() async throws {
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectAnnouncement(of: try Entries.entry(1)) { $0.say(.networkLost) }
        script.expectAnnouncement(of: try Entries.entry(2))
        script.expect(.read(limit: 1), .queue(.of([]), noon))
        let delivery = Delivery(hasChime: false, gap: .milliseconds(200))
        script.expect(.play(.init(.prompt(.networkLost), delivery)), heard)
        script.expectLast(.rest)
        await script.run()
    }

    @Test("A prompt that is taken back while it waits is not spoken; once it sounds, it is finished")
    func withdrawnPrompt() async throws {
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectAnnouncement(of: try Entries.entry(1)) { requests in
            requests.say(.networkLost)
            requests.withdraw(.networkRestored)
            requests.withdraw(.networkLost)
        }
        script.expectRest { $0.say(.networkRestored) }
        let delivery = Delivery(hasChime: false, gap: .milliseconds(200))
        script.expect(.play(.init(.prompt(.networkRestored), delivery)), heard) { $0.withdraw(.networkRestored) }
        script.expectLast(.rest)
        await script.run()
    }

    @Test("While the disk fails, prompts are spoken: what the box says of the fault does not wait for its end")
    func promptDuringDiskFailure() async throws {
        let entry = try Entries.entry(1)
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expectPlaying(entry, .played(.aloud)) { $0.say(.storageFault) }
        script.expect(.record(.notice(entry), .aloud), .failed)
        script.expect(play(.storageFault), heard)
        script.expect(.wait(.seconds(1)))
        script.expect(.record(.notice(entry), .aloud), .failed)
        script.expect(.wait(.seconds(1)), .interrupted) { $0.say(.volumeUp) }
        script.expect(play(.volumeUp), .failed)
        script.expect(.wait(.seconds(1)))
        script.expect(.record(.notice(entry), .aloud))
        script.expectLast(.read(limit: 1))
        await script.run()
    }

    @Test("A box that is stopped while it tells of a fault finishes the prompt and ends")
    func stopDuringPrompt() async throws {
        let script = AnnouncerScript { $0.inboxChanged() }
        script.expect(.read(limit: 1), .failed) { $0.say(.storageFault) }
        script.expect(play(.storageFault), heard) { $0.stop() }
        await script.run(stops: true)
    }
}
