import Logging
import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxBox
@testable import SoundboxVoice

@Suite("Sounds of custom messages", .timeLimit(.minutes(15)))
struct CustomMessageSoundsTests {
    private let synthesizer = FakeSpeechSynthesizer()
    private let clips = FakeClipSource()
    private let changes = Journal<Void>()
    private let voices: Voices

    init() throws { voices = Voices(first: try Voice.shipped()) }

    private func sounds(
        speaks: Bool = true, plays: Bool = true, mostMemory: Int = CustomMessageSounds.mostMemory,
        mostTime: Duration = CustomMessageSounds.mostTime
    ) -> CustomMessageSounds {
        let sounds = CustomMessageSounds(
            store: TemporaryInbox(), voices: voices, synthesizer: speaks ? synthesizer : nil,
            clips: plays ? clips : nil,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, mostMemory: mostMemory,
            mostTime: mostTime)
        sounds.whenChanged { [changes] in changes.append(()) }
        return sounds
    }

    private func entry(_ sequence: Int64, _ content: CustomMessage.Content, isRing: Bool = false) throws
        -> CustomMessageEntry
    {
        CustomMessageEntry(
            sequence: sequence,
            customMessage: CustomMessage(
                id: try CommandID("e-\(sequence)"), purpose: isRing ? .ring(timeout: .seconds(30)) : .say,
                content: content, at: .now), receivedAt: .now)
    }

    private func speech(of entry: CustomMessageEntry, in sounds: CustomMessageSounds) async throws -> Announcer.Speech {
        while sounds.speech(of: entry) == .pending { try await changes.next() }
        return sounds.speech(of: entry)
    }

    private static let clip = ClipReference(
        url: "https://cdn.example.com/a.ogg", sha256: String(repeating: "ab", count: 32))
    private static let tone = PCMSound(samples: [1, 2, 3], sampleRate: 48_000)
    /// No recording covers it.
    private static let foreign = "三号桌叫人"

    private func script(_ sound: PCMSound, _ text: String) -> AnnouncementScript {
        AnnouncementScript(text: text, elements: [.sound(sound)])
    }

    /// What the synthesiser speaks, with the marker before it, or, where the voice has none, that there is a message.
    private func spoken(_ text: String) -> AnnouncementScript {
        marker.followed(by: script(FakeSpeechSynthesizer.sound(of: text), text), after: .milliseconds(300))
    }

    private var marker: AnnouncementScript {
        let marker = voices.script(for: .prompt(.marker))
        return marker.hasWords ? marker : voices.script(for: .prompt(.message))
    }

    @Test("Only prompts of the box have no marker before them: two texts are two messages, also of recorded words")
    func marked() async throws {
        let sounds = sounds()
        let prompt = try #require(voices.languages[0].prompts[.networkRestored])
        for (number, words) in ["一百", "元"].enumerated() {
            let recorded = try voices.script(ofSegments: [words])
            let expected = Announcer.Speech.ready(marker.followed(by: recorded, after: .milliseconds(300)))
            let sequence = Int64(number * 2 + 1)
            #expect(try await speech(of: entry(sequence, .text(words)), in: sounds) == expected)
            #expect(try await speech(of: entry(sequence + 1, .segments([words])), in: sounds) == expected)
        }
        let plain = try voices.script(ofSegments: [prompt])
        #expect(try await speech(of: entry(5, .segments([prompt])), in: sounds) == .ready(plain))
        let mixed = try voices.script(ofSegments: [prompt, "一百"])
        #expect(
            try await speech(of: entry(6, .segments([prompt, "一百"])), in: sounds)
                == .ready(marker.followed(by: mixed, after: .milliseconds(300))))
    }

    @Test("Recordings are used where they cover a text, and nobody is asked to speak it")
    func recordings() async throws {
        let text = try #require(voices.languages[0].prompts[.networkRestored])
        let expected = try #require(voices.script(ofText: text))
        #expect(try await speech(of: entry(1, .text(text)), in: sounds()) == .ready(expected))
        #expect(synthesizer.asked.entries.isEmpty)
    }

    @Test("Other text is spoken; where it cannot be, that there is a message is said, and why")
    func synthesised() async throws {
        #expect(try await speech(of: entry(1, .text(Self.foreign)), in: sounds()) == .ready(spoken(Self.foreign)))
        synthesizer.fail(with: .unavailable(reason: "install espeak-ng"))
        guard case .failed(let reason, _) = try await speech(of: entry(2, .text(Self.foreign)), in: sounds())
        else {
            Issue.record("it did not fail")
            return
        }
        #expect(reason == "text cannot be spoken here: install espeak-ng")
        guard case .failed = try await speech(of: entry(3, .text(Self.foreign)), in: sounds(speaks: false))
        else {
            Issue.record("it did not fail")
            return
        }
    }

    @Test("The text of a notice has the marker before it, whoever speaks it")
    func notice() async throws {
        #expect(await sounds().words(ofText: Self.foreign) == spoken(Self.foreign))
        let phrase = try #require(voices.languages[0].prompts[.networkRestored])
        let recorded = try #require(voices.script(ofText: phrase))
        let expected = marker.followed(by: recorded, after: .milliseconds(300))
        #expect(expected != recorded)
        #expect(await sounds().words(ofText: phrase) == expected)
    }

    @Test("A voice without words to put before a foreign text does not say it, and that is why")
    func unmarked() async throws {
        var voice = voices.voices[0]
        for part in [Prompt.marker, .message].flatMap({ voice.writer.script(for: .prompt($0)).elements }) {
            if case .phrase(let index) = part {
                voice.leftOut[.phrase(index)] =
                    LeftOut("/nowhere", because: .unreadable(file: "a", reason: "b"))
            }
        }
        voice.renewWriter()
        let sounds = CustomMessageSounds(
            store: TemporaryInbox(), voices: Voices(first: voice), synthesizer: synthesizer, clips: nil,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        sounds.whenChanged { [changes] in changes.append(()) }
        guard case .failed(let reason, nil) = try await speech(of: entry(1, .text(Self.foreign)), in: sounds) else {
            Issue.record("it did not fail")
            return
        }
        #expect(reason.contains("prompts.marker"))
        #expect(synthesizer.asked.entries.isEmpty)
    }

    @Test("A clip is played; without it its words are said, and the reason is told")
    func clip() async throws {
        let customMessage = try entry(1, .clip(Self.clip, otherwise: Self.foreign))
        let words = spoken(Self.foreign)
        #expect(
            try await speech(of: customMessage, in: sounds())
                == .failed(reason: "clip: no server answers", instead: words))
        guard
            case .failed(CustomMessageSpeech.clipsAreOff, _) = try await speech(
                of: customMessage, in: sounds(plays: false))
        else {
            Issue.record("it did not fail")
            return
        }
        clips.put(Self.tone, at: Self.clip)
        #expect(try await speech(of: customMessage, in: sounds()) == .ready(script(Self.tone, "clip abababab")))
    }

    @Test("A ring has its tone whatever becomes of its words")
    func ring() async throws {
        let sounds = sounds()
        #expect(sounds.words(of: try entry(1, .tone, isRing: true)) == .silence)
        clips.put(Self.tone, at: Self.clip)
        let ring = try entry(2, .clip(Self.clip, otherwise: nil), isRing: true)
        #expect(sounds.words(of: ring) == nil)
        try await changes.next()
        #expect(sounds.words(of: ring) == script(Self.tone, "clip abababab"))
        let silent = try entry(
            3, .clip(ClipReference(url: "https://b/c", sha256: Self.clip.sha256), otherwise: nil), isRing: true)
        #expect(sounds.words(of: silent) == nil)
        try await changes.next()
        #expect(sounds.words(of: silent) != nil)
    }

    @Test("Two are made at a time, rings first; the clips of all that wait are kept")
    func order() async throws {
        synthesizer.hold()
        let sounds = sounds()
        let entries = try [
            entry(1, .text("甲乙一")), entry(2, .text("甲乙二")), entry(3, .clip(Self.clip, otherwise: nil)),
            entry(4, .text("甲乙四"), isRing: true),
        ]
        sounds.prepare(entries)
        var asked: Set<String> = []
        for _ in 1...2 { asked.insert(try await synthesizer.asked.next()) }
        #expect(asked == ["甲乙四", "甲乙一"])
        #expect(clips.asked.entries.isEmpty)
        synthesizer.release()
        for entry in entries { _ = try await speech(of: entry, in: sounds) }
        #expect(clips.kept == [Self.clip])
    }

    @Test("What is not listed any more is forgotten, and made again when it is asked for")
    func forgotten() async throws {
        let sounds = sounds()
        let first = try entry(1, .text(Self.foreign))
        _ = try await speech(of: first, in: sounds)
        sounds.prepare([])
        #expect(sounds.speech(of: first) == .pending)
        _ = try await speech(of: first, in: sounds)
        #expect(synthesizer.asked.entries.count == 2)
    }

    @Test("What takes too long has failed, and others have their turn")
    func tooLong() async throws {
        synthesizer.hold()
        let sounds = sounds(mostTime: .milliseconds(10))
        guard case .failed(let reason, _) = try await speech(of: entry(1, .text(Self.foreign)), in: sounds)
        else {
            Issue.record("it did not fail")
            return
        }
        #expect(reason.hasPrefix("it was not ready after"))
        clips.put(Self.tone, at: Self.clip)
        _ = try await speech(of: entry(2, .clip(Self.clip, otherwise: nil)), in: sounds)
        synthesizer.release()
    }

    @Test("What is ready has a limit: what comes later makes room for what comes sooner, and has its turn then")
    func memory() throws {
        let long = PCMSound(samples: [Int16](repeating: 1, count: 1_000_000), sampleRate: 48_000)
        var queue = CustomMessageSoundQueue(mostAtOnce: 2, mostMemory: CustomMessageSoundQueue.mostBytes + 1_000_000)
        let says = try (1...3).map { try entry(Int64($0), .text("第\($0)")) }
        let ring = try entry(4, .text("响铃"), isRing: true)
        _ = queue.keep([says[0]])
        let begun = queue.begin()
        let first = try #require(begun)
        _ = queue.finish(first.attempt, .script(script(long, "第1")))
        _ = queue.keep(says)
        // Its samples leave no room for one more.
        let second = queue.begin()
        #expect(second == nil)
        _ = queue.keep(says + [ring])
        let third = queue.begin()
        #expect(third?.0 == ring)
        let forgotten = queue.sound(of: says[0])
        #expect(forgotten == nil)
        _ = queue.keep(says)
        let again = queue.begin()
        #expect(again?.0 == says[0])
    }

    @Test("A kind is told in the voice's words; segments are joined")
    func segments() async throws {
        let phrase = try #require(voices.languages[0].prompts[.networkRestored])
        guard case .ready(let script) = try await speech(of: entry(1, .segments([phrase, phrase])), in: sounds())
        else {
            Issue.record("not ready")
            return
        }
        #expect(script.text == phrase + phrase)
    }
}
