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

    private mutating func render(_ volume: Volume) -> [Float] {
        mixer.render(into: &bytes, volume: volume)
        return stride(from: 0, to: bytes.count, by: 4).map { place in
            Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) })
        }
    }

    private mutating func renderAll(_ volume: Volume) -> [Float] {
        var output: [Float] = []
        while !mixer.isFinished { output += render(volume) }
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
            outputs.append(renderAll(volume))
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
        for _ in 0..<5 { _ = render(Volume(100)) }
        let fading = render(Volume(0))
        #expect(fading.contains { $0 != 0 } && fading.last == 0)
        #expect(render(Volume(0)).allSatisfy { $0 == 0 })
        mixer.stop()
        #expect(renderAll(Volume(0)).allSatisfy { $0 == 0 })
    }

    @Test("The last frame of a sound is rendered before the mixer has finished", arguments: [1, 80, 150, 159, 160])
    mutating func nothingIsCut(end: Int) {
        var click = [Int16](repeating: 0, count: 3 * Self.period + end)
        click[click.count - 1] = 12_000
        mixer.begin(volume: Volume(100))
        mixer.play(click, on: .speech)
        let output = renderAll(Volume(100))
        #expect((output.indices.max { abs(output[$0]) < abs(output[$1]) }) == click.count - 1 + mixer.latency)
        #expect(abs(output[click.count - 1 + mixer.latency]) > 0.2)
        // And no period more than that takes.
        #expect(output.count - (click.count + mixer.latency) < Self.period)
    }

    @Test("Chime and speech both go through it", arguments: Mixer.Bus.allCases)
    mutating func everyBus(bus: Mixer.Bus) {
        mixer.begin(volume: Volume(100))
        // Far below the resonance: it would be as loud as it came.
        mixer.play(Self.tone(60), on: bus)
        #expect(level(renderAll(Volume(100))[800..<3200]) < 0.02)
    }

    // MARK: Through the player

    private func played(_ loudspeaker: Loudspeaker) async throws -> [Int16] {
        let sink = RecordingSink()
        let voice = try Voice.shipped()
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
