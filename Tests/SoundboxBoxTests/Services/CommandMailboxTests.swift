import Glibc
import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxTesting
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("The mailbox for commands", .timeLimit(.minutes(10)))
struct CommandMailboxTests {
    private let desk: CommandDesk
    private var mailbox: CommandMailbox { desk.mailbox }

    init() throws { desk = try CommandDesk() }

    private func intake() -> Intake {
        Intake(
            reader: .native(PaymentNoticeDecoder(defaultCurrency: .CNY)), verifier: nil,
            admission: NoticeAdmission(window: .seconds(600), retainedWindow: .seconds(600)), rules: SpeechRules(),
            inbox: InMemoryInbox(),
            clock: BoxClock(newestKnown: nil), state: desk.state,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            hooks: Intake.Hooks(perform: mailbox.post))
    }

    private func loudness(_ level: Int, isMuted: Bool = false) -> Loudness {
        Loudness(volume: Volume(level), isMuted: isMuted)
    }

    @Test("Of several words in one batch of messages the last is in force, a thousand times, whoever else asks what")
    func lastWord() async throws {
        let intake = intake()
        let words: [(text: String, inForce: Loudness)] = [
            ("20", loudness(20)), ("80", loudness(80)), (#""mute""#, loudness(80, isMuted: true)),
            (#""unmute""#, loudness(80)),
        ]
        try await desk.whileOpen {
            let others = Task {
                while !Task.isCancelled {
                    mailbox.post(.play(.last))
                    mailbox.heard(.unprovisionWarning)
                    await Task.yield()
                }
            }
            for round in 0..<1000 {
                // Each of the four is the last one in its turn.
                let batch = words[...(round % 4)]
                let messages = batch.map { FeedMessage(topic: .commands, payload: payload($0.text)) }
                try intake.commit(messages)
                let inForce = await mailbox.loudness
                #expect(inForce == words[round % 4].inForce, "round \(round)")
                #expect(desk.volume.loudness == inForce)
                let snapshot = desk.state.snapshot
                #expect(Loudness(volume: snapshot.volume, isMuted: snapshot.isMuted) == inForce)
            }
            others.cancel()
        }
        // A volume that comes back before it is written down is not written.
        #expect(desk.kept.entries.last ?? Volume(80) == Volume(80))
    }

    private func payload(_ volume: String) -> [UInt8] { Array(#"{"type":"volume","volume":\#(volume)}"#.utf8) }

    @Test("Commands of all kinds are carried out in the order in which they came")
    func order() async throws {
        mailbox.post(.volume(.to(Volume(20))))
        mailbox.post(.warnOfUnprovisioning)
        mailbox.post(.volume(.to(Volume(50))))
        mailbox.post(.play(.today))
        mailbox.post(.volume(.mute))
        try await desk.whileOpen { #expect(await mailbox.loudness == loudness(50, isMuted: true)) }
        #expect(
            desk.events.entries == [.say(.unprovisionWarning, at: loudness(20)), .play(.today, at: loudness(50))])
    }

    @Test("What came before the end is carried out, and after it nobody is left waiting")
    func end() async throws {
        mailbox.post(.volume(.to(Volume(30))))
        mailbox.post(.play(.last))
        let run = Task { await mailbox.run() }
        run.cancel()
        await run.value
        #expect(desk.events.entries == [.play(.last, at: loudness(30))])
        mailbox.post(.play(.today))
        #expect(await mailbox.change(.to(Volume(60))) == loudness(30))
        #expect(desk.events.entries.count == 1)
    }

    @Test("A disk that hangs holds up no command")
    func hangingDisk() async throws {
        desk.disk.hang()
        try await desk.whileOpen {
            mailbox.post(.volume(.to(Volume(20))))
            #expect(await mailbox.loudness == loudness(20))
            mailbox.post(.volume(.mute))
            #expect(await mailbox.loudness == loudness(20, isMuted: true))
            #expect(desk.player.isMuted)
            #expect(desk.kept.entries.isEmpty)
            desk.disk.goOn()
            await desk.volume.remember()
            #expect(desk.kept.entries == [Volume(20)])
        }
    }

    @Test("The warning and the buttons count in their order: a box is taken out of service only by who has heard it")
    func unprovisioning() async throws {
        mailbox.post(.unprovision)
        mailbox.post(.warnOfUnprovisioning)
        mailbox.heard(.unprovisionWarning)
        let run = Task { await mailbox.run() }
        _ = await mailbox.loudness
        #expect(await desk.unprovisioning.outcome == nil)
        mailbox.post(.unprovision)
        await desk.unprovisioning.run()
        #expect(await desk.unprovisioning.outcome == .removed)
        run.cancel()
    }
}

@Suite("Commands that wait for their turn")
struct PendingCommandsTests {
    private func names(_ items: [PendingCommands.Item]) -> [String] {
        items.map { item in
            switch item {
            case .volume(let change):
                "volume \(change.applied(to: Loudness(volume: Volume(50), isMuted: false)).volume.level)"
            case .play(let request): "play \(request)"
            case .warnOfUnprovisioning: "warn"
            case .unprovision: "unprovision"
            case .heardWarning: "heard"
            case .tell: "tell"
            }
        }
    }

    /// - Returns: how many of them there was room for.
    private func append(_ items: [PendingCommands.Item], to pending: inout PendingCommands) -> Int {
        var count = 0
        for item in items where pending.append(item) { count += 1 }
        return count
    }

    @Test("A flood of what the network can ask for takes no more room than a few commands, and comes to the same")
    func flood() {
        var pending = PendingCommands()
        let changes: [Command.VolumeChange] = [.up, .down, .mute, .unmute]
        let items = changes.map { PendingCommands.Item.volume(LoudnessChange($0)) } + [.play(.last)]
        var count = 0
        for _ in 1...100_000 { count += append(items, to: &pending) }
        count += append([.volume(LoudnessChange(.down))], to: &pending)
        #expect(count == 500_001)
        #expect(names(pending.takeAll()) == ["volume 50", "play last", "volume 40"])
        #expect(pending.isEmpty)
    }

    @Test("Only neighbours are put together, so that nothing overtakes a command of another kind")
    func neighbours() {
        var pending = PendingCommands()
        let items: [PendingCommands.Item] = [
            .volume(LoudnessChange(.to(Volume(10)))), .warnOfUnprovisioning,
            .volume(LoudnessChange(.up)), .play(.last), .volume(LoudnessChange(.up)), .heardWarning, .unprovision,
            .play(.today), .volume(LoudnessChange(.down)),
        ]
        let count = append(items, to: &pending)
        #expect(count == items.count)
        #expect(
            names(pending.takeAll()) == [
                "volume 10", "warn", "volume 70", "heard", "unprovision", "play today", "volume 40",
            ])
    }

    @Test("What cannot be put together is refused beyond a limit")
    func limit() {
        var pending = PendingCommands()
        let prompts = [PendingCommands.Item](repeating: .heardWarning, count: PendingCommands.limit)
        let counts = [prompts, [.heardWarning, .unprovision], [.volume(LoudnessChange(.mute))]].map {
            append($0, to: &pending)
        }
        #expect(counts == [PendingCommands.limit, 0, 1])
    }
}
