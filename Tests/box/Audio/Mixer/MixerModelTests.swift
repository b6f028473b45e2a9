import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxAudio

@Suite("The mixer beside a plain one")
struct MixerModelTests {
    @Test(
        "Whatever is played, ended, ducked and turned up or down, each byte is what a sample-by-sample mixer writes",
        arguments: SampleEncoding.allCases)
    func sameBytes(encoding: SampleEncoding) {
        for seed in UInt64(1)...12 {
            var random = SeededGenerator(seed: seed)
            let format = PCMFormat(
                sampleRate: 8000, channelCount: Int.random(in: 1...2, using: &random), encoding: encoding,
                framesPerPeriod: 160)
            var mixer = Mixer(format: format)
            var model = PlainMixer(format: format)
            var volume = Volume(100)
            var period: [UInt8] = []
            for number in 0..<80 {
                let bus = Mixer.Bus.allCases.randomElement(using: &random)!
                // The first two leave all as it is, so that something has time to sound.
                switch Int.random(in: 0...7, using: &random) {
                case 2, 3:
                    let (sound, delay) = (Self.sound(&random), Int.random(in: 0...300, using: &random))
                    mixer.play(sound, on: bus, after: delay)
                    model.play(sound, on: bus, after: delay)
                case 4:
                    let (frames, fade) = (
                        Int.random(in: 0...400, using: &random), Int.random(in: 1...100, using: &random)
                    )
                    mixer.end(bus, after: frames, fade: fade)
                    model.end(bus, after: frames, fade: fade)
                case 5: volume = Volume([100, Int.random(in: 0...100, using: &random)].randomElement(using: &random)!)
                case 6:
                    mixer.stop()
                    model.stop()
                case 7 where number % 10 == 0:
                    mixer.begin(volume: volume)
                    model.begin(volume: volume)
                default: break
                }
                mixer.render(into: &period, volume: volume)
                let expected = model.render(volume: volume)
                guard period == expected || encoding == .float32 && isSame(period, expected) else {
                    Issue.record("seed \(seed), period \(number): the bytes differ")
                    break
                }
            }
        }
    }

    /// Zero has a sign as a float, which nobody hears.
    private func isSame(_ floats: [UInt8], _ others: [UInt8]) -> Bool {
        func words(_ bytes: [UInt8]) -> [UInt32] {
            stride(from: 0, to: bytes.count, by: 4).map { place in
                (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) }
            }
        }
        return words(floats).map(Float.init(bitPattern:)) == words(others).map(Float.init(bitPattern:))
    }

    private static func sound(_ random: inout SeededGenerator) -> [Int16] {
        // Loud sound is limited, soft sound is not.
        let peak = [Int16.max, 20_000, 300].randomElement(using: &random)!
        return (0..<Int.random(in: 0...900, using: &random)).map { _ in
            Int16.random(in: -peak - 1...peak, using: &random)
        }
    }
}

/// What ``Mixer`` promises, one sample after the other and with nothing skipped: what is computed is silence, too.
private struct PlainMixer {
    struct Track {
        var samples: [Int16] = []
        var position = 0

        var isSounding: Bool { position >= 0 && position < samples.count }

        mutating func next() -> Float {
            defer { if position < samples.count { position += 1 } }
            return isSounding ? Float(samples[position]) / 32768 : 0
        }
    }

    let format: PCMFormat
    var tracks = [Track](repeating: Track(), count: Mixer.Bus.allCases.count)
    private var volume: Float = 0
    private var ducking: Float = 1

    init(format: PCMFormat) { self.format = format }

    mutating func play(_ samples: [Int16], on bus: Mixer.Bus, after delay: Int) {
        tracks[bus.rawValue] = Track(samples: samples, position: samples.isEmpty ? 0 : -delay)
    }

    mutating func stop() { tracks = tracks.map { _ in Track() } }

    mutating func end(_ bus: Mixer.Bus, after frames: Int, fade: Int) {
        var track = tracks[bus.rawValue]
        var rest: [Int16] = []
        while rest.count < frames, track.isSounding {
            rest.append(track.samples[track.position])
            track.position += 1
        }
        for (place, back) in zip(rest.indices.reversed(), 0..<fade) {
            rest[place] = Int16((Float(rest[place]) * Float(back) / Float(fade)).rounded())
        }
        tracks[bus.rawValue] = Track(samples: rest)
    }

    mutating func begin(volume: Volume) {
        stop()
        ducking = 1
        self.volume = volume.gain
    }

    mutating func render(volume: Volume) -> [UInt8] {
        let count = Float(format.framesPerPeriod)
        let volumeStep = (volume.gain - self.volume) / count
        let duckingStep = (1 - Mixer.duckedGain) / Float(format.sampleRate / 20)
        var sum: [Float] = []
        for frame in 1...format.framesPerPeriod {
            let isSpeaking = tracks[Mixer.Bus.speech.rawValue].isSounding
            ducking =
                isSpeaking ? max(Mixer.duckedGain, ducking - duckingStep) : min(1, ducking + duckingStep)
            let chime = tracks[Mixer.Bus.chime.rawValue].next() * ducking
            let speech = tracks[Mixer.Bus.speech.rawValue].next()
            sum.append(SoftLimiter.limit((chime + speech) * (self.volume + volumeStep * Float(frame))))
        }
        self.volume = volume.gain
        return sum.flatMap(bytes)
    }

    private func bytes(_ sample: Float) -> [UInt8] {
        func scaled(_ fullScale: Double) -> Int32 { Int32((Double(sample) * fullScale).rounded()) }
        let word =
            switch format.encoding {
            case .int16: UInt32(bitPattern: scaled(32767))
            case .int24, .int24Packed: UInt32(bitPattern: scaled(8_388_607))
            case .int32: UInt32(bitPattern: scaled(2_147_483_647))
            case .float32: sample.bitPattern
            }
        let frame = (0..<format.bytesPerFrame / format.channelCount).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        return (0..<format.channelCount).flatMap { _ in frame }
    }
}
