import Foundation
import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import Synchronization
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice

@Suite("The player", .timeLimit(.minutes(10)))
struct PlayerTests {
    private let sink = RecordingSink()
    private let voice: Voice
    private let script: AnnouncementScript

    init() throws {
        voice = try Voice.shipped()
        script = try voice.writer.exactScript(for: .payment(try Money("123.45", .CNY), channel: "alipay"))
    }

    private func player(_ sink: some AudioSink, volume: Int = 100, timing: Timing = Timing()) -> Player {
        Player(sink: sink, voices: Voices(first: voice), volume: Volume(volume), timing: timing)
    }

    private func played(
        volume: Int = 100, timing: Timing = Timing(), _ delivery: Delivery = Delivery()
    ) async throws -> [Int16] {
        let sink = RecordingSink()
        try await player(sink, volume: volume, timing: timing).play(script, delivery)
        #expect(sink.misuses == [])
        return samples(try #require(sink.announcements.first))
    }

    // MARK: When it begins

    @Test("That an announcement has begun is told once, with its first period, and not when that could not be written")
    func began() async throws {
        let (periods, begun) = (Journal<Int>(), Journal<Int>())
        let watched = WatchedSink { periods.append($0) }
        let player = player(watched)
        watched.base.fail(.write, with: .writeFailed(device: "recording", reason: "it was unplugged"))
        let note: @Sendable () -> Void = { begun.append(periods.entries.count) }
        await #expect(throws: PlayerError.self) { try await player.play(script, began: note) }
        #expect(begun.entries == [])
        try await player.play(script, began: note)
        #expect(begun.entries == [1])
        #expect(periods.entries.count > 1)
    }

    // MARK: What is played

    @Test("Lead-in, chime, words and gap lie where the timing says, and nothing begins or ends with a click")
    func layout() async throws {
        let timing = Timing(
            leadIn: .milliseconds(100), chimeToSpeech: .milliseconds(900), gap: .milliseconds(700))
        let output = try await played(timing: timing)
        #expect(output[..<4800].allSatisfy { $0 == 0 })
        #expect(output[4800..<9600].contains { abs(Int($0)) > 300 })
        // The chime lasts 620 ms, so there is a rest before the first word at 1000 ms.
        #expect(output[36_000..<48_000].allSatisfy { abs(Int($0)) < 60 })
        #expect(output[48_000..<57_600].contains { abs(Int($0)) > 1000 })
        #expect(output.suffix(33_600).allSatisfy { $0 == 0 })
        #expect(output.suffix(43_200).contains { $0 != 0 })
        #expect(output.count.isMultiple(of: 960))
    }

    @Test("Words are the same whether they were decoded in time or at the last moment")
    func deterministic() async throws {
        let early = try await played(timing: Timing(chimeToSpeech: .milliseconds(1000)))
        let late = try await played(timing: Timing(leadIn: .zero, chimeToSpeech: .zero), Delivery(hasChime: false))
        let words = late.drop { $0 == 0 }.prefix(48_000)
        #expect(early.dropFirst(48_960 + late.prefix { $0 == 0 }.count).prefix(48_000).elementsEqual(words))
    }

    @Test("The chime is written before a single word is decoded")
    func startsAtOnce() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "soundbox-voice-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["voice.yaml", "chime.opus"] {
            try FileManager.default.copyItem(
                atPath: "\(shippedSounds)/zh-CN/\(name)", toPath: folder.appending(path: name).path)
        }
        let player = Player(sink: sink, voices: Voices(first: try Voice(directory: folder.path)), volume: Volume(100))
        // With every word missing, what was written is what needed none of them.
        let error = await #expect(throws: PlayerError.self) { try await player.play(script) }
        guard case .recording(.phrase, _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        let written = samples(sink.pending)
        #expect(written.count == 960)
    }

    @Test("Without chime the words begin after the lead-in, and the gap of the delivery counts")
    func hurried() async throws {
        let usual = try await played()
        let hurried = try await played(Delivery(hasChime: false, gap: .milliseconds(200)))
        #expect(usual.count - hurried.count >= 48 * 840)
        #expect(hurried[..<9600].contains { abs(Int($0)) > 300 })
    }

    @Test(
        "Whoever asks is told in which frames each recording and rest sounds", arguments: [Loudspeaker.full, .small()])
    func places(loudspeaker: Loudspeaker) async throws {
        let sink = RecordingSink()
        let player = Player(sink: sink, voices: Voices(first: voice), volume: Volume(100), loudspeaker: loudspeaker)
        let told = Mutex<[[Range<Int>]]>([])
        try await player.play(script, Delivery(gap: .zero)) { places in told.withLock { $0.append(places) } }
        let output = samples(try #require(sink.announcements.first))
        let places = try #require(told.withLock { $0 }.first)
        #expect(told.withLock { $0.count } == 1 && places.count == script.elements.count)
        let timing = Timing()
        let latency = loudspeaker == .full ? 0 : SmallSpeakerChain(resonance: 300, sampleRate: 48_000).latency
        #expect(places[0].lowerBound == 48 * Int((timing.leadIn + timing.chimeToSpeech) / .milliseconds(1)) + latency)
        // Each lies where the last one ends, or overlaps with it by less than a syllable.
        for (last, next) in zip(places, places.dropFirst()) {
            #expect((0...480).contains(last.upperBound - next.lowerBound))
        }
        let end = try #require(places.last).upperBound
        #expect((end..<end + 960).contains(output.count))
        for (element, place) in zip(script.elements, places) {
            switch element {
            case .pause(let rest):
                #expect(place.count == 48 * Int(rest / .milliseconds(1)))
                // Behind what still rings of the filters.
                #expect(output[place].dropFirst(latency == 0 ? 0 : 2400).allSatisfy { abs(Int($0)) < 40 })
            default:
                #expect(output[place].contains { abs(Int($0)) > 1500 })
            }
        }
    }

    @Test("A script without words is a chime")
    func chimeOnly() async throws {
        let sink = RecordingSink()
        try await player(sink).play(AnnouncementScript(text: "", elements: []))
        #expect(samples(try #require(sink.announcements.first)).contains { abs(Int($0)) > 1000 })
    }

    @Test("Neither words nor a chime are not played: silence does not count as heard")
    func nothing() async throws {
        let player = player(sink)
        await #expect(throws: PlayerError.nothingToPlay) {
            try await player.play(
                AnnouncementScript(text: "", elements: [.pause(.seconds(1))]), Delivery(hasChime: false))
        }
        #expect(sink.announcements.isEmpty)
    }

    // MARK: Volume

    @Test("A volume key acts within one period on what is playing, and by a ramp")
    func volumeKey() async throws {
        let handle = Mutex<Player?>(nil)
        let sink = WatchedSink { periods in
            if periods == 70 { handle.withLock { $0?.volume = Volume(50) } }
        }
        let player = player(sink)
        handle.withLock { $0 = player }
        try await player.play(script)
        let full = try await played()
        let output = samples(try #require(sink.base.announcements.first))
        #expect(output[..<67_200] == full[..<67_200])
        // The 71st period is the ramp; from the 72nd on everything is at the new gain.
        var compared = 0
        for frame in 68_160..<output.count where abs(Int(full[frame])) < 20_000 {
            #expect(abs(Int(output[frame]) - Int((Float(full[frame]) * Volume(50).gain).rounded())) <= 1)
            if output[frame] != 0 { compared += 1 }
        }
        #expect(compared > 10_000)
    }

    @Test("Mute silences within one period, unmute brings the volume back that was set")
    func mute() async throws {
        let handle = Mutex<Player?>(nil)
        let sink = WatchedSink { periods in
            if periods == 60 { handle.withLock { $0?.isMuted = true } }
            if periods == 80 { handle.withLock { $0?.isMuted = false } }
        }
        let player = player(sink)
        handle.withLock { $0 = player }
        try await player.play(script)
        let full = try await played()
        let output = samples(try #require(sink.base.announcements.first))
        #expect(output[(61 * 960)..<(80 * 960)].allSatisfy { $0 == 0 })
        #expect(output[(81 * 960)...] == full[(81 * 960)...])
        #expect(player.volume == Volume(100))
    }

    @Test("It tells how the words sounded: mute and volume 0 count where they meet a word, and nowhere else")
    func audibility() async throws {
        let hand = Mutex<Player?>(nil)
        let timing = Timing(chimeToSpeech: .milliseconds(1000), gap: .seconds(2))
        /// - Parameter changes: what is done after so many periods of 20 ms.
        func audibility(_ delivery: Delivery = Delivery(), _ changes: [Int: (@Sendable (Player) -> Void)] = [:])
            async throws
            -> Player.Outcome
        {
            let sink = WatchedSink { periods in hand.withLock { $0.map { changes[periods]?($0) } } }
            let player = player(sink, timing: timing)
            hand.withLock { $0 = player }
            defer { hand.withLock { $0 = nil } }
            changes[0]?(player)
            return try await player.play(script, delivery)
        }
        let frames = try await played(timing: timing).count / 960
        #expect(try await audibility() == .heard(.aloud))
        #expect(try await audibility(Delivery(), [0: { $0.isMuted = true }]) == .heard(.muted))
        #expect(try await audibility(Delivery(), [0: { $0.volume = Volume(0) }]) == .heard(.atVolume0))
        #expect(try await audibility(Delivery(loudness: Volume(0)...Volume(0))) == .heard(.atVolume0))
        // In the middle of the words, and for a fifth of a second.
        #expect(
            try await audibility(Delivery(), [80: { $0.isMuted = true }, 90: { $0.isMuted = false }]) == .heard(.muted))
        #expect(try await audibility(Delivery(), [80: { $0.volume = Volume(0) }]) == .heard(.atVolume0))
        // Under the chime, and in the silence after the last word.
        #expect(
            try await audibility(Delivery(), [5: { $0.isMuted = true }, 40: { $0.isMuted = false }]) == .heard(.aloud))
        #expect(try await audibility(Delivery(), [frames - 50: { $0.isMuted = true }]) == .heard(.aloud))
        // Softly is aloud, as long as it can be heard.
        #expect(try await audibility(Delivery(loudness: Volume(1)...Volume(1))) == .heard(.aloud))
    }

    private func sound(_ amplitude: Int) -> AnnouncementScript.Element {
        .sound(PCMSound(samples: (0..<4800).map { Int16($0 % 96 < 48 ? amplitude : -amplitude) }, sampleRate: 48_000))
    }

    @Test(
        "Words that leave the mixer below −50 dBFS are not heard, whether the volume or the recording is too low",
        arguments: [
            (103, 100, Audibility.atVolume0), (104, 100, .aloud), (190, 80, .atVolume0), (200, 80, .aloud),
            (600, 50, .atVolume0), (640, 50, .aloud), (9000, 1, .atVolume0), (10_000, 1, .aloud), (0, 100, .atVolume0),
        ] as [(Int, Int, Audibility)], [true, false])
    func tooSoft(_ sounding: (amplitude: Int, volume: Int, audibility: Audibility), hasChime: Bool) async throws {
        let script = AnnouncementScript(text: "", elements: [sound(sounding.amplitude)])
        let outcome = try await player(sink, volume: sounding.volume).play(script, Delivery(hasChime: hasChime))
        #expect(outcome == .heard(sounding.audibility))
        // Without a chime, the loudest frame is one of the words.
        guard !hasChime else { return }
        let peak = samples(try #require(sink.announcements.first)).map { abs(Int($0)) }.max() ?? 0
        #expect((peak >= 104) == (sounding.audibility == .aloud))
    }

    @Test("One word that nobody can hear at any volume is enough")
    func oneWordTooSoft() async throws {
        func audibility(_ amplitudes: Int...) async throws -> Player.Outcome {
            let rest = AnnouncementScript.Element.pause(.milliseconds(50))
            return try await player(sink).play(
                AnnouncementScript(text: "", elements: amplitudes.flatMap { [sound($0), rest] }))
        }
        #expect(try await audibility(9000, 60, 9000) == .heard(.atVolume0))
        #expect(try await audibility(9000, 600, 9000) == .heard(.aloud))
    }

    @Test("Where there are no words, the chime is what counts")
    func audibilityOfChime() async throws {
        let player = player(sink)
        let nothing = AnnouncementScript(text: "", elements: [])
        #expect(try await player.play(nothing) == .heard(.aloud))
        #expect(try await player.play(nothing, Delivery(loudness: Volume(0)...Volume(1))) == .heard(.atVolume0))
        player.isMuted = true
        #expect(try await player.play(nothing) == .heard(.muted))
    }

    @Test("A delivery holds the volume within its limits, and mute counts nevertheless")
    func limits() async throws {
        let quiet = try await played(Delivery(loudness: Volume(0)...Volume(30)))
        #expect(quiet == (try await played(volume: 30)))
        #expect(try await played(volume: 0, Delivery(loudness: Volume(30)...Volume(100))) == quiet)
        #expect(try await played(volume: 20, Delivery(loudness: Volume(0)...Volume(30))) == played(volume: 20))
        let player = player(sink)
        player.isMuted = true
        try await player.play(script, Delivery(loudness: Volume(30)...Volume(100)))
        #expect(samples(try #require(sink.announcements.first)).allSatisfy { $0 == 0 })
    }

    // MARK: Devices that fail

    @Test("What a device interrupts is not heard, and played again it is whole", arguments: RecordingSink.Call.allCases)
    func interrupted(call: RecordingSink.Call) async throws {
        let player = player(sink)
        try await player.play(script)
        let failure = AudioSinkError.writeFailed(device: "x", reason: "it was unplugged")
        sink.fail(call, with: failure, callsBefore: call == .write ? 40 : 0)
        await #expect(throws: PlayerError.sink(failure)) { try await player.play(script) }
        try await player.play(script)
        let announcements = sink.announcements
        #expect(announcements.count == 2)
        #expect(announcements[1] == announcements[0])
    }

    @Test(
        "A device that comes back with another rate gets the announcement at that rate",
        arguments: [8000, 44_100, 192_000])
    func anotherRate(rate: Int) async throws {
        let player = player(sink)
        try await player.play(script)
        sink.replaceDevice(
            with: PCMFormat(sampleRate: rate, channelCount: 2, encoding: .int16, framesPerPeriod: rate / 50))
        try await player.play(script)
        let announcements = sink.announcements
        let seconds = (Double(announcements[0].count) / 96_000, Double(announcements[1].count) / Double(4 * rate))
        #expect(abs(seconds.0 - seconds.1) < 0.05)
    }

    @Test("A cancelled announcement ends at once, and counts as not heard")
    func cancelled() async throws {
        let handle = Mutex<Task<Player.Outcome, any Error>?>(nil)
        let sink = WatchedSink { periods in if periods == 60 { handle.withLock { $0?.cancel() } } }
        let player = player(sink)
        let task = handle.withLock { handle in
            let task = Task { try await player.play(script) }
            handle = task
            return task
        }
        await #expect(throws: PlayerError.cancelled) { try await task.value }
        #expect(sink.periods == 60)
        #expect(!sink.base.isOpen)
    }

    // MARK: Idle

    @Test("The device stays open and prepared between announcements unless told otherwise")
    func staysOpen() async throws {
        let player = player(sink)
        try await player.prepare()
        for _ in 1...3 { try await player.play(script) }
        #expect(sink.openingCount == 1)
        #expect(sink.isOpen)
    }

    @Test("After its idle time the device is closed, and opened again for the next announcement")
    func closesWhenIdle() async throws {
        let player = player(sink, timing: Timing(closeWhenIdle: .milliseconds(1)))
        try await player.play(script)
        while sink.isOpen { await Task.yield() }
        try await player.play(script)
        #expect(sink.announcements.count == 2)
        #expect(sink.openingCount == 2)
    }

    @Test("Within its idle time the device stays open")
    func staysOpenForAWhile() async throws {
        let player = player(sink, timing: Timing(closeWhenIdle: .seconds(86_400)))
        try await player.prepare()
        for _ in 1...3 { try await player.play(script) }
        #expect(sink.openingCount == 1)
        await player.close()
        #expect(!sink.isOpen)
    }

    // MARK: Interrupts

    @Test("An interrupt ends an announcement at once, without a fade, and the next one is heard whole")
    func interrupt() async throws {
        let handle = Mutex<Player?>(nil)
        let sink = WatchedSink { periods in if periods == 60 { handle.withLock { $0?.interrupt() } } }
        let player = player(sink)
        handle.withLock { $0 = player }
        await #expect(throws: PlayerError.cancelled) { try await player.play(script) }
        #expect(sink.base.announcements.isEmpty)
        #expect(!sink.base.isOpen)
        try await player.play(script)
        #expect(samples(try #require(sink.base.announcements.first)) == (try await played()))
    }

    @Test("An interrupt while nothing plays does nothing to the next announcement")
    func interruptWhileIdle() async throws {
        let player = player(sink)
        try await player.play(script)
        player.interrupt()
        try await player.play(script)
        #expect(sink.announcements.count == 2)
        #expect(sink.announcements[0] == sink.announcements[1])
    }

    @Test("A task that was cancelled before its turn plays nothing and opens nothing")
    func cancelledBefore() async throws {
        let player = player(sink)
        let task = Task {
            // Not before the cancellation has come.
            while !Task.isCancelled { await Task.yield() }
            try await player.play(script)
        }
        task.cancel()
        await #expect(throws: PlayerError.cancelled) { try await task.value }
        #expect(sink.openingCount == 0)
    }
}
