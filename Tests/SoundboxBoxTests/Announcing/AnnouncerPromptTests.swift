import SoundboxBox
import SoundboxCore
import SoundboxSpeech
import Testing

@Suite("The announcer, when the box speaks of itself")
struct AnnouncerPromptTests {
    private var announcer = Announcer.plain
    private let noon = Entries.moment

    private func play(_ prompt: Prompt) -> Announcer.Action {
        .play(
            .init(
                .prompt(prompt),
                Delivery(hasChime: false, gap: .milliseconds(200), loudness: Volume(30)...Volume(100))))
    }

    @Test("A prompt comes between announcements, only the last one asked for, and is not recorded")
    mutating func prompt() throws {
        let entry = try Entries.entry(1)
        announcer.startPlaying(entry)
        #expect(announcer.handle(.promptRequested(.volumeMinimum)) == [])
        #expect(announcer.handle(.promptRequested(.volumeMaximum)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [play(.volumeMaximum)])
        // One that is asked for again and again lets every payment pass that it has held up.
        #expect(announcer.handle(.promptRequested(.volumeMaximum)) == [])
        #expect(announcer.handle(.somethingMayWait) == [])
        #expect(announcer.handle(.played(.aloud)) == [.fetch(limit: 1)])
        let entries = try (2...3).map { try Entries.entry($0) }
        #expect(announcer.handle(.fetched(.of(entries), noon)) == [.prepare])
        #expect(announcer.handle(.prepared) == [.note([entries[0]])])
        #expect(announcer.handle(.noted) == [.play(.init(.notice(entries[0])))])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entries[0]), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        announcer.begin(entries[1])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entries[1]), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [play(.volumeMaximum)])
        #expect(announcer.handle(.playFailed) == [])
    }

    @Test("Prompts of different concerns wait side by side: the fault is told first, and payments pass in between")
    mutating func promptsOfDifferentConcerns() throws {
        let entry = try Entries.entry(1)
        announcer.startPlaying(entry)
        #expect(announcer.handle(.promptRequested(.storageFault)) == [])
        #expect(announcer.handle(.promptRequested(.volumeMaximum)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        let next = try Entries.entry(2)
        #expect(announcer.handle(.fetched(.of([next]), noon)) == [play(.storageFault)])
        #expect(announcer.handle(.played(.aloud)) == [.fetch(limit: 1)])
        announcer.begin(next)
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(next), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [play(.volumeMaximum)])
        #expect(announcer.handle(.played(.aloud)) == [])
    }

    @Test("What is said of the network waits until no payment does, and is no louder than one")
    mutating func networkPromptWaits() throws {
        let entries = try (1...2).map { try Entries.entry($0) }
        announcer.startPlaying(entries[0])
        #expect(announcer.handle(.promptRequested(.networkLost)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entries[0]), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        announcer.begin(entries[1])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entries[1]), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        let delivery = Delivery(hasChime: false, gap: .milliseconds(200))
        #expect(announcer.handle(.fetched(.of([]), noon)) == [.play(.init(.prompt(.networkLost), delivery))])
        #expect(announcer.handle(.played(.aloud)) == [])
    }

    @Test("A prompt that is taken back while it waits is not spoken; once it sounds, it is finished")
    mutating func withdrawnPrompt() throws {
        let entry = try Entries.entry(1)
        announcer.startPlaying(entry)
        #expect(announcer.handle(.promptRequested(.networkLost)) == [])
        #expect(announcer.handle(.promptWithdrawn(.networkRestored)) == [])
        #expect(announcer.handle(.promptWithdrawn(.networkLost)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
        #expect(announcer.handle(.fetched(.of([]), noon)) == [])
        #expect(announcer.handle(.promptRequested(.networkLost)).count == 1)
        #expect(announcer.handle(.promptWithdrawn(.networkLost)) == [])
        #expect(announcer.handle(.played(.aloud)) == [])
    }

    @Test("While the disk fails, prompts are spoken: what the box says of the fault does not wait for its end")
    mutating func promptDuringDiskFailure() throws {
        let entry = try Entries.entry(1)
        announcer.startPlaying(entry)
        #expect(announcer.handle(.promptRequested(.storageFault)) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1)), play(.storageFault)])
        // The next attempt comes when both the time has passed and the prompt has ended.
        #expect(announcer.handle(.waited) == [])
        #expect(announcer.handle(.played(.aloud)) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.promptRequested(.volumeUp)) == [play(.volumeUp)])
        #expect(announcer.handle(.playFailed) == [])
        #expect(announcer.handle(.waited) == [.record(.notice(entry), .aloud)])
        #expect(announcer.handle(.recorded) == [.fetch(limit: 1)])
    }

    @Test("A box that is stopped while it tells of a fault finishes the prompt and ends")
    mutating func stopDuringPrompt() throws {
        #expect(announcer.handle(.somethingMayWait) == [.fetch(limit: 1)])
        #expect(announcer.handle(.inboxFailed) == [.wait(.seconds(1))])
        #expect(announcer.handle(.promptRequested(.storageFault)) == [play(.storageFault)])
        #expect(announcer.handle(.stopRequested) == [])
        #expect(announcer.handle(.played(.aloud)) == [.finish])
    }
}
