import Glibc
import SoundboxCore
import Testing

@testable import SoundboxAudio

@Suite("The mixer")
struct MixerTests {
    /// Floats, so that what the mixer computed is seen as it is; a period of 10 frames at 1 kHz is 10 ms.
    private static let format = PCMFormat(sampleRate: 8000, channelCount: 1, encoding: .float32, framesPerPeriod: 80)
    private var mixer = Mixer(format: Self.format)
    private var period: [UInt8] = []

    private mutating func render(_ volume: Volume = Volume(100)) -> [Float] {
        mixer.render(into: &period, volume: volume)
        return floats(period)
    }

    private func floats(_ bytes: [UInt8]) -> [Float] {
        stride(from: 0, to: bytes.count, by: 4).map { place in
            Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) })
        }
    }

    private static func constant(_ sample: Int16, _ count: Int) -> [Int16] { [Int16](repeating: sample, count: count) }

    @Test("Sound on one bus comes out sample by sample, after its delay, and silence follows its end")
    mutating func oneBus() {
        mixer.begin(volume: Volume(100))
        mixer.play((1...100).map { Int16($0 * 100) }, on: .speech, after: 70)
        #expect(!mixer.isFinished)
        let output = render() + render() + render()
        #expect(output.prefix(70).allSatisfy { $0 == 0 })
        #expect(Array(output[70..<170]) == (1...100).map { Float($0 * 100) / 32768 })
        #expect(output[170...].allSatisfy { $0 == 0 })
        #expect(mixer.isFinished)
    }

    @Test("Both buses are summed; the chime makes room while speech sounds, and comes back")
    mutating func ducking() {
        mixer.begin(volume: Volume(100))
        mixer.play(Self.constant(8192, 8000), on: .chime)
        mixer.play(Self.constant(1024, 1600), on: .speech, after: 1000)
        var output: [Float] = []
        while output.count < 4800 { output += render() }
        #expect(output[999] == 0.25)
        // After 50 ms of ramp it is at −12 dB.
        let ducked = 0.25 * Mixer.duckedGain + 0.03125
        #expect(output[1400..<2600].allSatisfy { abs($0 - ducked) < 1e-5 })
        #expect(output[3000...].allSatisfy { $0 == 0.25 })
        // Never faster than the ramp, but for the step that the speech itself makes.
        let slope = 0.25 * (1 - Mixer.duckedGain) / 400
        for frame in output.indices.dropFirst() where frame != 1000 && frame != 2600 {
            #expect(abs(output[frame] - output[frame - 1]) <= slope * 1.01)
        }
    }

    @Test(
        "A change of volume is a straight ramp over one period, up and down and to silence",
        arguments: [(100, 50), (50, 100), (100, 0), (0, 100), (73, 72)])
    mutating func ramp(from: Int, to: Int) {
        mixer.begin(volume: Volume(from))
        mixer.play(Self.constant(16384, 800), on: .speech)
        let output = render(Volume(from)) + render(Volume(to)) + render(Volume(to))
        let (low, high) = (0.5 * Volume(from).gain, 0.5 * Volume(to).gain)
        #expect(output[..<80].allSatisfy { $0 == low })
        for frame in 0..<80 {
            #expect(abs(output[80 + frame] - (low + (high - low) * Float(frame + 1) / 80)) < 1e-6)
        }
        #expect(output[160...].allSatisfy { $0 == high })
    }

    @Test("In a long period the ramp takes 20 ms and no longer")
    mutating func rampInLongPeriod() {
        mixer = Mixer(
            format: PCMFormat(sampleRate: 8000, channelCount: 1, encoding: .float32, framesPerPeriod: 640))
        mixer.begin(volume: Volume(100))
        mixer.play(Self.constant(16384, 640), on: .speech)
        let output = render(Volume(0))
        #expect(output[79] == 0.25 && output[158] > 0)
        #expect(output[159...].allSatisfy { $0 == 0 })
    }

    @Test("The next timeline begins with nothing of the one before, at its own volume from the first frame")
    mutating func begin() {
        mixer.begin(volume: Volume(100))
        for bus in Mixer.Bus.allCases { mixer.play(Self.constant(20_000, 8000), on: bus) }
        _ = render()
        mixer.begin(volume: Volume(50))
        #expect(mixer.isFinished)
        mixer.play(Self.constant(16384, 80), on: .speech)
        #expect(render(Volume(50)).allSatisfy { $0 == 0.5 * Volume(50).gain })
    }

    @Test("Peaks end below −1 dBFS however much is summed, and what is below −2 dBFS stays as it is")
    mutating func limit() {
        mixer.begin(volume: Volume(100))
        let sine = (0..<800).map { Int16(32767 * sin(Double($0) / 5)) }
        for bus in Mixer.Bus.allCases { mixer.play(sine, on: bus) }
        var output: [Float] = []
        while !mixer.isFinished { output += render() }
        #expect(output.allSatisfy { abs($0) < SoftLimiter.ceiling })
        #expect(output.contains { $0 > 0.86 } && output.contains { $0 < -0.86 })
    }

    @Test("The limiter's curve is odd, monotonous, without a jump, and exact below its knee")
    func curve() {
        var last: Float = -SoftLimiter.ceiling
        for step in -4000...4000 {
            let sample = Float(step) / 1000
            let limited = SoftLimiter.limit(sample)
            #expect(limited == -SoftLimiter.limit(-sample))
            #expect(limited >= last && limited - last <= 0.001_01 || step == -4000)
            if abs(sample) <= SoftLimiter.knee { #expect(limited == sample) }
            last = limited
        }
    }

    @Test(
        "The volume's curve, in decibels below full volume: it begins where a person hears something",
        arguments: [
            (1, 39.1), (2, 38.5), (3, 37.9), (5, 36.7), (10, 33.7), (20, 28.4), (30, 23.7), (40, 19.4), (50, 15.5),
            (60, 11.9), (70, 8.6), (80, 5.6), (90, 2.7), (99, 0.3), (100, 0),
        ])
    func curveOfVolume(level: Int, attenuation: Float) {
        #expect(abs(-20 * log10(Volume(level).gain) - attenuation) < 0.1)
    }

    @Test(
        "Volume 0 is silence, 100 is unchanged, and each step between is louder, by a little less than the one before")
    func stepsOfVolume() {
        #expect(Volume(0).gain == 0)
        #expect(Volume(100).gain == 1)
        let steps = (2...100).map { 20 * log10(Volume($0).gain / Volume($0 - 1).gain) }
        #expect(steps.allSatisfy { (0.2...0.7).contains($0) })
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $1 < $0 + 0.001 })
    }
}

@Suite("Samples in every format")
struct SampleWriterTests {
    private static let samples: [Float] = [0, 0.5, -0.5, 0.89, -0.89, 1, -1, 1e-9]

    /// Decodes one sample with code that shares nothing with the writer's.
    private func decoded(_ bytes: ArraySlice<UInt8>, _ encoding: SampleEncoding) -> Double {
        let unsigned = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        func signed(_ bits: Int) -> Double { Double(Int64(bitPattern: unsigned << UInt64(64 - bits)) >> (64 - bits)) }
        return switch encoding {
        case .int16: signed(16) / 32767
        case .int24, .int24Packed: signed(24) / 8_388_607
        case .int32: signed(32) / 2_147_483_647
        case .float32: Double(Float(bitPattern: UInt32(unsigned)))
        }
    }

    @Test("come back within half a step, the same on every channel", arguments: SampleEncoding.allCases, [1, 2, 8])
    func roundTrip(encoding: SampleEncoding, channels: Int) {
        let format = PCMFormat(sampleRate: 48_000, channelCount: channels, encoding: encoding, framesPerPeriod: 8)
        var bytes: [UInt8] = []
        SampleWriter.write(Self.samples, to: &bytes, as: format)
        #expect(bytes.count == format.bytesPerPeriod)
        let step: Double =
            switch encoding {
            case .int16: 1 / 32767
            case .int24, .int24Packed: 1 / 8_388_607
            case .int32: 1 / 2_147_483_647
            case .float32: 0
            }
        let size = encoding.bytesPerSample
        for (frame, sample) in Self.samples.enumerated() {
            for channel in 0..<channels {
                let place = (frame * channels + channel) * size
                #expect(abs(decoded(bytes[place..<place + size], encoding) - Double(sample)) <= step / 2)
            }
        }
    }

    @Test(
        "beyond full scale are full scale and never change their sign; what is no number is silence",
        arguments: [SampleEncoding.int16, .int24, .int24Packed, .int32], [1, 2, 3])
    func beyondFullScale(encoding: SampleEncoding, channels: Int) {
        let samples: [Float] = [1.000_1, -1.000_1, 1.5, -1.5, 70_000, -70_000, .infinity, -.infinity, .nan]
        let format = PCMFormat(
            sampleRate: 48_000, channelCount: channels, encoding: encoding, framesPerPeriod: samples.count)
        var bytes: [UInt8] = []
        SampleWriter.write(samples, to: &bytes, as: format)
        let size = encoding.bytesPerSample
        for (frame, sample) in samples.enumerated() {
            let expected: Double = sample.isNaN ? 0 : sample < 0 ? -1 : 1
            for channel in 0..<channels {
                let place = (frame * channels + channel) * size
                #expect(decoded(bytes[place..<place + size], encoding) == expected, "\(sample)")
            }
        }
    }

    @Test("24 bits in four bytes repeat their sign in the highest")
    func sign() {
        var bytes: [UInt8] = []
        let format = PCMFormat(sampleRate: 48_000, channelCount: 1, encoding: .int24, framesPerPeriod: 2)
        SampleWriter.write([-0.25, 0.25], to: &bytes, as: format)
        #expect(bytes[3] == 0xFF)
        #expect(bytes[7] == 0)
    }
}
