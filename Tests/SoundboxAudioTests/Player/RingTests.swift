import Glibc
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxTesting
import Synchronization
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice

/// What is done with a player while its sink is told of periods.
private final class Hand: Sendable {
    private let player = Mutex<Player?>(nil)
    func hold(_ player: Player) { self.player.withLock { $0 = player } }
    func use(_ body: (Player) -> Void) { player.withLock { $0 }.map(body) }
}

@Suite("Rings", .timeLimit(.minutes(10)))
struct RingTests {
    private let voice: Voice
    private let bare = AnnouncementScript(text: "", elements: [])

    init() throws { voice = try Voice(directory: "\(shippedSounds)/zh-CN") }

    private func player(_ sink: some AudioSink, volume: Int = 100) -> Player {
        Player(sink: sink, voices: Voices(first: voice), volume: Volume(volume))
    }

    /// A script that sounds like nothing, so that the ring under it is heard alone.
    private func silence(_ frames: Int, at rate: Int = 48_000) -> AnnouncementScript {
        let sound = PCMSound(samples: [Int16](repeating: 0, count: frames), sampleRate: rate)
        return AnnouncementScript(text: "", elements: [.sound(sound)])
    }

    /// What a ring with no words sounds like at full volume.
    private func bell(_ count: Int, at rate: Int = 48_000) -> [Float] {
        let loop = RingTone.samples(at: rate) + [Int16](repeating: 0, count: rate * 7 / 10)
        return (0..<count).map { SoftLimiter.limit(Float(loop[$0 % loop.count]) / 32768) * 32767 }
    }

    private func level(_ samples: some Collection<Float>) -> Float {
        10 * log10(samples.reduce(0) { $0 + $1 * $1 } / Float(max(samples.count, 1)) + 1e-9)
    }

    /// Rings on a sink until so many periods are written, and returns what it was given.
    private func rung(
        periods: Int, volume: Int = 100, _ script: AnnouncementScript? = nil,
        loudness: ClosedRange<Volume> = Volume(0)...Volume(100),
        sampleRate: Int = 48_000, _ changes: [Int: @Sendable (Player) -> Void] = [:]
    ) async -> [Int16] {
        let hand = Hand()
        let isDone = OneTimeSignal()
        let sink = StreamSink(sampleRate: sampleRate) { count in
            if let change = changes[count] { hand.use(change) }
            if count == periods {
                hand.use { $0.stopRing() }
                isDone.signal()
            }
        }
        let player = player(sink, volume: volume)
        hand.hold(player)
        player.startRing(script ?? bare, loudness: loudness)
        await isDone.wait()
        await player.close()
        return sink.stream
    }

    // MARK: What is heard

    @Test(
        "It sounds on and on, sample by sample, until it is stopped; then not one frame follows",
        arguments: [8000, 44_100, 48_000])
    func alone(rate: Int) async {
        let stream = await rung(periods: 140, sampleRate: rate)
        #expect(stream.count == 140 * (rate / 50))
        let expected = bell(stream.count, at: rate)
        #expect(zip(stream, expected).allSatisfy { abs(Float($0) - $1) <= 1 })
    }

    @Test("Its words follow the bell, and then it begins again")
    func words() async {
        let word = PCMSound(samples: [Int16](repeating: 3000, count: 4800), sampleRate: 48_000)
        let stream = await rung(periods: 150, AnnouncementScript(text: "", elements: [.sound(word)]))
        let begin = 72_000 + 9600
        #expect(stream[72_000..<begin].allSatisfy { $0 == 0 })
        #expect(stream[(begin + 200)..<(begin + 4600)].allSatisfy { abs(Int($0) - 3000) <= 1 })
        #expect(stream[(begin + 4800)..<(begin + 4800 + 33_600)].allSatisfy { $0 == 0 })
        let again = stream[(begin + 4800 + 33_600)...]
        #expect(again.elementsEqual(stream.prefix(again.count)))
    }

    @Test("Words that cannot be had cost the words only, and are told")
    func wordsMissing() async throws {
        let hand = Hand()
        let isDone = OneTimeSignal()
        let sink = StreamSink { if $0 == 120 { isDone.signal() } }
        let player = player(sink)
        hand.hold(player)
        let failures = Mutex<[PlayerError]>([])
        let broken = PCMSound(samples: [1, 2, 3], sampleRate: 0)
        player.startRing(AnnouncementScript(text: "", elements: [.sound(broken)])) { error in
            failures.withLock { $0.append(error) }
        }
        await isDone.wait()
        await player.close()
        #expect(failures.withLock { $0.count } == 1)
        #expect(zip(sink.stream, bell(sink.stream.count)).allSatisfy { abs(Float($0) - $1) <= 1 })
    }

    @Test("Volume, mute and the limits of a ring act within a period, by a ramp")
    func volume() async {
        let full = bell(60 * 960)
        let stream = await rung(
            periods: 60, loudness: Volume(0)...Volume(80),
            [
                20: { $0.volume = Volume(50) }, 30: { $0.isMuted = true },
                40: {
                    $0.isMuted = false; $0.volume = Volume(90)
                },
            ])
        func gain(_ periods: Range<Int>, _ volume: Int) {
            for frame in (periods.lowerBound * 960)..<(periods.upperBound * 960) {
                #expect(abs(Float(stream[frame]) - full[frame] * Volume(volume).gain) <= 1)
            }
        }
        gain(0..<20, 80)
        gain(21..<30, 50)
        gain(31..<40, 0)
        gain(41..<60, 80)
    }

    // MARK: Announcements over it

    @Test("It goes on under an announcement from sample to sample, at −12 dB, and comes back")
    func continuity() async throws {
        let begins = OneTimeSignal()
        let sink = StreamSink { if $0 == 20 { begins.signal() } }
        let player = player(sink)
        player.startRing(bare)
        await begins.wait()
        let outcome = try await player.play(silence(96_000), Delivery(hasChime: false))
        #expect(outcome == .heard(.atVolume0))
        #expect(sink.drains.isEmpty)
        // Long enough for the bell to strike again.
        await sink.awaitPeriods(80)
        await player.close()

        let stream = sink.stream
        let full = bell(stream.count)
        // Where the bell is loud, its gain can be seen; where it is not, nothing else sounds.
        let loud = full.indices.filter { abs(full[$0]) > 2000 }
        let gains = loud.map { Float(stream[$0]) / full[$0] }
        #expect(gains.allSatisfy { $0 > Mixer.duckedGain - 0.002 && $0 < 1.002 })
        #expect(gains.contains { abs($0 - Mixer.duckedGain) < 0.001 })
        #expect((gains.first ?? 0) > 0.999 && (gains.last ?? 0) > 0.999)
        let slope = (1 - Mixer.duckedGain) / 2400
        for (place, last) in zip(loud.indices.dropFirst(), loud.indices) {
            let frames = Float(loud[place] - loud[last])
            #expect(abs(gains[place] - gains[last]) <= slope * frames + 0.002)
        }
        #expect(full.indices.allSatisfy { full[$0] != 0 || stream[$0] == 0 })
    }

    @Test("Under speech it is 12 dB lower, within 1 dB, and the speech is what it is alone")
    func ducked() async throws {
        let script = try voice.writer.exactScript(for: .payment(try Money("123.45", .CNY), channel: "alipay"))
        let alone = StreamSink()
        try await player(alone, volume: 50).play(script)
        let speech = alone.stream.map { Float($0) }

        // The ring gives way behind its twentieth period, however late the announcement comes: the bell strikes on
        // until its 75th, so it sounds under the whole chime.
        let hand = Hand()
        let isDone = OneTimeSignal()
        let sink = StreamSink { periods in
            guard periods == 20 else { return }
            isDone.signal()
            hand.use { player in while !player.thread.hasWaitingJobs { sched_yield() } }
        }
        let player = player(sink, volume: 50)
        hand.hold(player)
        player.startRing(bare)
        await isDone.wait()
        try await player.play(script)
        await player.close()
        let stream = sink.stream.map { Float($0) }
        let ring = bell(stream.count).map { $0 * Volume(50).gain }

        let begin = 20 * 960
        let found = speech.indices.map { stream[begin + $0] - speech[$0] }
        // From the first word to the last one.
        let words = (20 + 550 + 50) * 48..<(speech.count - 500 * 48)
        let change = level(words.map { found[$0] }) - level(words.map { ring[begin + $0] })
        #expect((-13 ... -11).contains(change), "\(change) dB")
        // Already under the chime.
        let chime = 60 * 48..<500 * 48
        let under = level(chime.map { found[$0] }) - level(chime.map { ring[begin + $0] })
        #expect((-13 ... -11).contains(under), "\(under) dB")
    }

    @Test("Stopped under an announcement it fades within a period, and the announcement is heard whole")
    func stoppedUnderSpeech() async throws {
        let hand = Hand()
        let sink = StreamSink { count in
            if count == 10 { hand.use { $0.startRing(AnnouncementScript(text: "", elements: [])) } }
            if count == 60 { hand.use { $0.stopRing() } }
        }
        let player = player(sink)
        hand.hold(player)
        #expect(try await player.play(silence(96_000), Delivery(hasChime: false)) == .heard(.atVolume0))
        #expect(sink.stream[(10 * 960)..<(60 * 960)].contains { $0 != 0 })
        #expect(sink.closings.isEmpty)
        #expect(sink.drains.count == 1)
        #expect(!player.isRinging)
        #expect(sink.stream[(60 * 960 + 400)...].allSatisfy { $0 == 0 })
        await player.close()
    }

    @Test("A ring that begins in the middle of an announcement sounds under it and after it")
    func beginsUnderSpeech() async throws {
        let hand = Hand()
        let isDone = OneTimeSignal()
        let sink = StreamSink { count in
            if count == 30 { hand.use { $0.startRing(AnnouncementScript(text: "", elements: [])) } }
            if count == 160 { isDone.signal() }
        }
        let player = player(sink)
        hand.hold(player)
        #expect(try await player.play(silence(48_000), Delivery(hasChime: false)) == .heard(.atVolume0))
        await isDone.wait()
        await player.close()
        let stream = sink.stream
        #expect(stream[..<(30 * 960)].allSatisfy { $0 == 0 })
        let full = bell(stream.count - 30 * 960)
        #expect(full.indices.allSatisfy { abs(Float(stream[$0 + 30 * 960])) <= abs(full[$0]) + 1 })
        let late = 130 * 960..<150 * 960
        #expect(late.allSatisfy { abs(Float(stream[$0]) - full[$0 - 30 * 960]) <= 1 })
    }

    // MARK: Its end

    @Test("Stopped alone, what the card holds is dropped: nothing more is heard, though a write was waiting")
    func stoppedAlone() async {
        let sink = CardSink()
        let player = player(sink)
        player.startRing(bare)
        for _ in 0..<30 { sink.playPeriod() }
        sink.awaitFullBuffer()
        #expect(sink.queued == 5)
        let heard = sink.heard.count
        player.stopRing()
        sink.awaitClosing()
        #expect(sink.queued == 0)
        #expect(sink.heard.count == heard)
        await player.close()
    }

    @Test("An interrupted announcement leaves the ring, and a stopped ring the next announcement")
    func apart() async throws {
        let hand = Hand()
        let isFirst = Mutex(true)
        let sink = StreamSink { _ in if isFirst.withLock({ $0 }) { hand.use { $0.interrupt() } } }
        let player = player(sink)
        hand.hold(player)
        player.startRing(bare)
        await sink.awaitPeriods(10)
        await #expect(throws: PlayerError.cancelled) { try await player.play(silence(96_000)) }
        #expect(player.isRinging)
        await sink.awaitPeriods(40)
        isFirst.withLock { $0 = false }
        player.stopRing()
        #expect(try await player.play(silence(960), Delivery(hasChime: false)) == .heard(.atVolume0))
        await player.close()
    }

    @Test("A device that fails is told and tried again until the ring is stopped; it tells once that it began")
    func deviceFails() async {
        let failures = Mutex<[PlayerError]>([])
        let beginnings = Mutex(0)
        let (failed, again) = (OneTimeSignal(), OneTimeSignal())
        let sink = StreamSink { if $0 == 30 { again.signal() } }
        sink.unplug()
        let player = player(sink)
        player.startRing(bare) { error in
            failures.withLock { $0.append(error) }
            failed.signal()
        } began: {
            beginnings.withLock { $0 += 1 }
        }
        await failed.wait()
        #expect(player.isRinging)
        #expect(beginnings.withLock { $0 } == 0)
        sink.plug()
        await again.wait()
        await player.close()
        #expect(beginnings.withLock { $0 } == 1)
        #expect(failures.withLock { $0 } == [.sink(.unavailable(device: "stream", reason: "it is not there"))])
    }

    @Test("A file is rung into no faster than time goes")
    func paced() async {
        let sink = RecordingSink()
        let player = player(sink)
        let begun = OneTimeSignal()
        let start = Duration.monotonicNow
        player.startRing(bare, began: { begun.signal() })
        await begun.wait()
        for _ in 1...5 { try? await player.look() }
        let written = PCMFormat.mono48kHz.duration(ofFrames: sink.pending.count / 2)
        #expect(written <= .monotonicNow - start + .milliseconds(300))
        await player.close()
    }
}
