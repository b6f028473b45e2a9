import Glibc
import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("Commands", .timeLimit(.minutes(10)))
struct CommandHandlerTests {
    private let fixture: CommandFixture

    init() throws { fixture = try CommandFixture() }

    private func intake() -> Intake {
        Intake(
            reader: .native(PaymentNoticeDecoder(defaultCurrency: .CNY)), verifier: nil,
            admission: NoticeAdmission(window: .seconds(600), retainedWindow: .seconds(600)),
            rules: FakeMessageRules(),
            inbox: TemporaryInbox(),
            clock: BoxClock(newestKnown: nil), state: fixture.state,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            delegate: IntakeHooks(performed: fixture.commands.perform))
    }

    private func loudness(_ level: Int, isMuted: Bool = false) -> Loudness {
        Loudness(volume: Volume(level), isMuted: isMuted)
    }

    @Test("Of several words in one batch of messages the last is in force")
    func lastWord() throws {
        let intake = intake()
        let words: [(text: String, inForce: Loudness)] = [
            ("20", loudness(20)), ("80", loudness(80)), (#""mute""#, loudness(80, isMuted: true)),
            (#""unmute""#, loudness(80)),
        ]
        for count in words.indices {
            let messages = words[...count].map { FeedMessage(topic: .commands, payload: payload($0.text)) }
            try intake.commit(messages)
            #expect(fixture.volume.loudness == words[count].inForce)
            let snapshot = fixture.state.snapshot
            #expect(Loudness(volume: snapshot.volume, isMuted: snapshot.isMuted) == words[count].inForce)
        }
    }

    private func payload(_ volume: String) -> [UInt8] { Array(#"{"type":"volume","volume":\#(volume)}"#.utf8) }

    @Test("Commands of all kinds are carried out in the order in which they came")
    func order() {
        fixture.commands.perform(.volume(.to(Volume(20))))
        fixture.commands.perform(.warnOfUnprovisioning)
        #expect(fixture.volume.loudness == loudness(20))
        #expect(fixture.requests.with { $0.prompts.popFirst() } == .unprovisionWarning)
        fixture.commands.perform(.volume(.to(Volume(50))))
        fixture.commands.perform(.play(.today))
        #expect(fixture.volume.loudness == loudness(50))
        #expect(fixture.requests.with { $0.request } == .today)
        fixture.commands.perform(.volume(.mute))
        #expect(fixture.volume.loudness == loudness(50, isMuted: true))
    }

    @Test("A disk that hangs holds up no command")
    func hangingDisk() async throws {
        fixture.disk.hang()
        try await fixture.whileOpen {
            fixture.commands.perform(.volume(.to(Volume(20))))
            #expect(fixture.volume.loudness == loudness(20))
            fixture.commands.perform(.volume(.mute))
            #expect(fixture.volume.loudness == loudness(20, isMuted: true))
            #expect(fixture.player.isMuted)
            #expect(fixture.kept.entries.isEmpty)
            fixture.disk.goOn()
            await fixture.volume.remember()
            #expect(fixture.kept.entries == [Volume(20)])
        }
    }

    @Test("The warning and the buttons count in their order: a box is taken out of service only by who has heard it")
    func unprovisioning() async throws {
        fixture.commands.perform(.unprovision)
        fixture.commands.perform(.warnOfUnprovisioning)
        fixture.unprovisioning.heard(.unprovisionWarning)
        #expect(await fixture.unprovisioning.outcome == nil)
        fixture.commands.perform(.unprovision)
        await fixture.unprovisioning.run()
        #expect(await fixture.unprovisioning.outcome == .removed)
    }
}
