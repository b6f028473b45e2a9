import Glibc
import SoundboxCore
import SoundboxSpeech
import SoundboxTesting
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice

@Suite("Mixing for a small loudspeaker", .timeLimit(.minutes(10)))
struct LoudspeakerMixingTests {
    private static let period = 160
    private static let format = PCMFormat(
        sampleRate: 8000, channelCount: 1, encoding: .float32, framesPerPeriod: Self.period)

    private var mixer = Mixer(format: Self.format, loudspeaker: .small())
    private var bytes: [UInt8] = []

    private mutating func render(_ gains: Mixer.Gains) -> [Float] {
        mixer.render(into: &bytes, gains: gains)
        return stride(from: 0, to: bytes.count, by: 4).map { place in
            Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) })
        }
    }

    private mutating func renderAll(_ gains: Mixer.Gains) -> [Float] {
        var output: [Float] = []
        while !mixer.isFinished { output += render(gains) }
        return output
    }

    private static func tone(_ frequency: Double = 500, amplitude: Double = 9000, count: Int = 4000) -> [Int16] {
        (0..<count).map { Int16(amplitude * sin(2 * .pi * frequency * Double($0) / 8000)) }
    }

    private func level(_ samples: some Collection<Float>) -> Float {
        (samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count)).squareRoot()
    }

    @Test("A low volume is not made up for: every frame is that of full volume, scaled", arguments: [10, 50, 80])
    mutating func volume(level: Int) {
        var outputs: [[Float]] = []
        for volume in [Volume(100), Volume(level)] {
            mixer.begin(volume: volume)
            mixer.play(Self.tone(amplitude: 30_000), on: .speech)
            outputs.append(renderAll(Mixer.Gains(volume)))
        }
        #expect(outputs[0].count == outputs[1].count)
        #expect(outputs[0].contains { abs($0) > 0.5 })
        for (full, scaled) in zip(outputs[0], outputs[1]) {
            #expect(abs(full * Volume(level).gain - scaled) < 1e-6)
        }
    }

    @Test("Mute is silent with the period that brings it, and what is held back does not sound later")
    mutating func mute() {
        mixer.begin(volume: Volume(100))
        mixer.play(Self.tone(), on: .speech)
        for _ in 0..<5 { _ = render(Mixer.Gains(Volume(100))) }
        let fading = render(Mixer.Gains(Volume(0)))
        #expect(fading.contains { $0 != 0 } && fading.last == 0)
        #expect(render(Mixer.Gains(Volume(0))).allSatisfy { $0 == 0 })
        mixer.stop()
        #expect(renderAll(Mixer.Gains(Volume(0))).allSatisfy { $0 == 0 })
    }

    @Test("The last frame of a sound is rendered before the mixer has finished", arguments: [1, 80, 150, 159, 160])
    mutating func nothingIsCut(end: Int) {
        var click = [Int16](repeating: 0, count: 3 * Self.period + end)
        click[click.count - 1] = 12_000
        mixer.begin(volume: Volume(100))
        mixer.play(click, on: .speech)
        let output = renderAll(Mixer.Gains(Volume(100)))
        #expect((output.indices.max { abs(output[$0]) < abs(output[$1]) }) == click.count - 1 + mixer.latency)
        #expect(abs(output[click.count - 1 + mixer.latency]) > 0.2)
        // And no period more than that takes.
        #expect(output.count - (click.count + mixer.latency) < Self.period)
    }

    @Test("Chime, speech and ring all go through it", arguments: Mixer.Bus.allCases)
    mutating func everyBus(bus: Mixer.Bus) {
        mixer.begin(volume: Volume(100))
        // Far below the resonance: it would be as loud as it came.
        mixer.play(Self.tone(60), on: bus)
        #expect(level(renderAll(Mixer.Gains(Volume(100)))[800..<3200]) < 0.02)
    }

    @Test("Words at a low volume are not raised because a ring may be loud", arguments: [Float(0.5), 0.1])
    mutating func sharesOfVolume(share: Float) {
        mixer.begin(gains: Mixer.Gains(announcement: 1, ring: 1))
        mixer.play(Self.tone(), on: .speech)
        let full = renderAll(Mixer.Gains(announcement: 1, ring: 1))
        let gains = Mixer.Gains(announcement: share, ring: 1)
        mixer.begin(gains: gains)
        mixer.play(Self.tone(), on: .speech)
        let low = renderAll(gains)
        #expect(abs(level(low[1600..<3200]) / level(full[1600..<3200]) - share) < 0.01 * share)
    }

    @Test("A ring lies 12 dB under the words, as without a chain")
    mutating func ducking() {
        mixer.begin(volume: Volume(100))
        mixer.loop(Self.tone(1000), on: .ring)
        mixer.play(Self.tone(500, count: 16_000), on: .speech)
        var output: [Float] = []
        for _ in 0..<60 { output += render(Mixer.Gains(Volume(100))) }
        func amplitude(_ frequency: Double) -> Double {
            var (real, imaginary) = (0.0, 0.0)
            for frame in 3200..<8000 {
                let angle = 2 * Double.pi * frequency * Double(frame) / 8000
                real += Double(output[frame]) * cos(angle)
                imaginary += Double(output[frame]) * sin(angle)
            }
            return hypot(real, imaginary)
        }
        // The equaliser lifts 1000 Hz a little over 500.
        #expect((-12.5 ... -10.5).contains(20 * log10(amplitude(1000) / amplitude(500))))
    }

    // MARK: Through the player

    private func played(_ loudspeaker: Loudspeaker) async throws -> [Int16] {
        let sink = RecordingSink()
        let voice = try Voice(directory: "\(shippedSounds)/zh-CN")
        let player = Player(
            sink: sink, voices: Voices(first: voice), volume: Volume(100), loudspeaker: loudspeaker)
        let script = try voice.writer.exactScript(for: .payment(try Money("6", .CNY), channel: nil))
        try await player.play(script, Delivery(gap: .zero))
        let bytes = try #require(sink.announcements.first)
        return stride(from: 0, to: bytes.count, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }

    @Test("An announcement is heard to its end, louder, and lasts at most a period longer")
    func announcement() async throws {
        let full = try await played(.full)
        let small = try await played(.small())
        #expect(small.count - full.count <= 960)
        func energy(_ samples: some Collection<Int16>) -> Double {
            samples.reduce(0) { $0 + Double($1) * Double($1) }
        }
        #expect(energy(small) > 2 * energy(full))
        // The last sound lies as far behind as the chain is late.
        let last = try #require(full.lastIndex { abs(Int($0)) > 300 })
        let lastSmall = try #require(small.lastIndex { abs(Int($0)) > 300 })
        #expect((0..<960).contains(lastSmall - last))
    }
}
