import Foundation
import Logging
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import Synchronization
import TestSupport
import Testing

@testable import SoundboxBox
@testable import SoundboxSetup

@Suite("The voice before setup", .timeLimit(.minutes(10)))
struct ReminderTests {
    private let folder: TemporaryFolder
    private let lines = Journal<String>()

    init() throws { folder = try TemporaryFolder() }

    private func reminder(_ fallback: FallbackSettings) -> Reminder {
        Reminder(
            fallback: fallback, amplifier: nil,
            logger: Logger(label: "test") { [lines] _ in JournalLogHandler(lines: lines) },
            fact: "the box is not set up")
    }

    @Test("The first card that plays gets the sentence, after those that do not, and the log says which")
    func nextCard() async throws {
        let heard = folder.file("heard.wav")
        let unused = folder.file("unused.wav")
        var fallback = FallbackSettings()
        fallback.likelyDevices = { ["hw:CARD=Nowhere", "hw:CARD=Neither", "file:\(heard)", "file:\(unused)"] }
        await reminder(fallback).say(.notProvisioned)
        #expect(try Data(contentsOf: URL(fileURLWithPath: heard)).count > 20_000)
        #expect(!FileManager.default.fileExists(atPath: unused))
        let lines = lines.entries
        try #require(lines.count == 3)
        #expect(lines[0].contains("Nowhere") && lines[1].contains("Neither"))
        #expect(lines[2].contains("said that the box is not set up") && lines[2].contains("heard.wav"))
    }

    @Test("The device of a box that was in service is the only one")
    func chosenCard() async throws {
        let unused = folder.file("unused.wav")
        var fallback = FallbackSettings()
        fallback.audioDevice = "hw:CARD=Nowhere"
        fallback.likelyDevices = { ["file:\(unused)"] }
        await reminder(fallback).say(.notProvisioned)
        #expect(!FileManager.default.fileExists(atPath: unused))
        #expect(lines.entries.count == 1)
    }

    @Test("What no card has played is said when one comes, and the log says once what was missing")
    func lateCard() async throws {
        let heard = folder.file("heard.wav")
        let attempts = Mutex(0)
        let said = OneTimeSignal()
        var fallback = FallbackSettings()
        fallback.likelyDevices = {
            attempts.withLock { $0 += 1 }
            return attempts.withLock { $0 } < 4 ? ["hw:CARD=Nowhere"] : ["file:\(heard)"]
        }
        let reminder = reminder(fallback)
        let before = ContinuousClock.now
        let due = Mutex<ContinuousClock.Instant?>(nil)
        let reminders = Task {
            await reminder.repeating(pause: .zero) {
                .setupFault
            } wasSaid: { next in
                due.withLock { $0 = next }
                said.signal()
            }
        }
        await said.wait(atMost: .seconds(300))
        reminders.cancel()
        await reminders.value
        #expect(try Data(contentsOf: URL(fileURLWithPath: heard)).count > 20_000)
        #expect(attempts.withLock { $0 } == 4)
        #expect(try #require(due.withLock { $0 }) >= before + Reminder.interval)
        #expect(lines.entries.count { $0.contains("cannot say") } == 1)
    }
}

private struct JournalLogHandler: LogHandler {
    let lines: Journal<String>
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    func log(event: LogEvent) { lines.append("\(event.message) \(event.metadata ?? [:])") }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}
