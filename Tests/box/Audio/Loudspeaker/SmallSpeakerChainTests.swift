import Glibc
import SoundboxCore
import SoundboxSpeech
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice

@Suite("Sound made fit for a small loudspeaker")
struct SmallSpeakerChainTests {
    private static let rate = 48_000

    private func sine(_ frequency: Double, decibels: Double, seconds: Double = 1, rate: Int = Self.rate) -> [Float] {
        let amplitude = pow(10, decibels / 20)
        return (0..<Int(seconds * Double(rate))).map {
            Float(amplitude * sin(2 * .pi * frequency * Double($0) / Double(rate)))
        }
    }

    /// What comes out, from the first frame that went in on, with nothing cut at the end.
    private func processed(
        _ samples: [Float], resonance: Int = Loudspeaker.usualResonance, rate: Int = Self.rate, by count: Int = 960
    ) -> [Float] {
        var chain = SmallSpeakerChain(resonance: resonance, sampleRate: rate)
        let input = samples + [Float](repeating: 0, count: chain.latency)
        var output: [Float] = []
        for start in stride(from: 0, to: input.count, by: count) {
            var period = Array(input[start..<min(start + count, input.count)])
            chain.process(&period)
            output += period
        }
        return Array(output.dropFirst(chain.latency))
    }

    private func speech(rate: Int = Self.rate) throws -> [Float] {
        let voices = Voices(first: try Voice.shipped())
        let script = voices.script(for: .payment(try Money("123.45", .CNY), channel: "alipay"))
        var words = Words(script, sampleRate: rate)
        return try words.joined(to: .zero, voices).samples.map { Float($0) / 32768 }
    }

    /// The amplitude of one frequency, over whole periods of it at the end.
    private func amplitude(_ samples: [Float], _ frequency: Double, rate: Int = Self.rate) -> Double {
        let count = Int(
            (Double(samples.count / 2) * frequency / Double(rate)).rounded(.down) / frequency * Double(rate))
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in samples.suffix(count).enumerated() {
            let angle = 2 * Double.pi * frequency * Double(index) / Double(rate)
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return hypot(real, imaginary) * 2 / Double(count)
    }

    private func decibels(_ amplitude: Double) -> Double { 20 * log10(amplitude) }

    /// The highest point of the wave, sixteen times oversampled with a longer filter than the chain's own.
    private func truePeak(_ samples: [Float]) -> Double {
        var highest = 0.0
        for phase in 0..<16 {
            let fraction = Double(phase) / 16
            let weights = (-23...24).map { tap -> Double in
                let distance = Double(tap) - fraction
                guard distance != 0 else { return 1 }
                return sin(.pi * distance) / (.pi * distance) * (0.5 + 0.5 * cos(.pi * distance / 25))
            }
            // Near a peak above the ceiling a sample stands high.
            for frame in 23..<max(23, samples.count - 24) where abs(samples[frame]) > 0.5 {
                var sum = 0.0
                for tap in weights.indices { sum += weights[tap] * Double(samples[frame - 23 + tap]) }
                highest = max(highest, abs(sum))
            }
        }
        return decibels(highest)
    }

    // MARK: What it does

    @Test(
        "Below the resonance little is left, above it nothing is lost, and consonants are lifted",
        arguments: [(300, 100.0), (300, 150.0), (500, 250.0)])
    func spectrum(resonance: Int, low: Double) {
        // So soft that the compressor leaves the ratio alone.
        func level(_ frequency: Double) -> Double {
            decibels(amplitude(processed(sine(frequency, decibels: -70), resonance: resonance), frequency))
        }
        let middle = level(1000)
        #expect(level(low) < middle - 22)
        #expect(abs(level(2 * Double(resonance)) - middle) < 1)
        #expect((2.5...4.5).contains(level(3000) - middle))
        #expect(abs(level(9000) - middle) < 1.5)
    }

    @Test(
        "A sine comes out as a sine at every level and pitch: its distortion is below 1 %",
        arguments: [200.0, 300, 440, 1000, 6100], [-40.0, -20, -6, 0])
    func distortion(frequency: Double, level: Double) {
        let output = processed(sine(frequency, decibels: level, seconds: 0.4))
        let fundamental = amplitude(output, frequency)
        var energy = 0.0
        for harmonic in 2...7 where Double(harmonic) * frequency < 24_000 {
            let part = amplitude(output, Double(harmonic) * frequency)
            energy += part * part
        }
        #expect(energy.squareRoot() / fundamental < 0.01)
    }

    @Test("The measure of distortion sees a clipped sine")
    func distortionIsMeasured() {
        let clipped = sine(1000, decibels: 0).map { min(max($0, -0.8), 0.8) }
        #expect(amplitude(clipped, 3000) / amplitude(clipped, 1000) > 0.03)
    }

    @Test("No peak goes above −1 dBTP, however loud and sudden it comes", arguments: [8000, 22_050, 48_000])
    func ceiling(rate: Int) throws {
        let loud = sine(997, decibels: 12, seconds: 0.2, rate: rate)
        let silence = [Float](repeating: 0, count: rate / 10)
        let voice = try speech(rate: rate).prefix(rate)
        for sound in [silence + loud + silence, Array(voice), voice.map { $0 * 4 }] {
            let output = processed(sound, rate: rate)
            #expect(truePeak(output) <= -1)
            #expect(output.contains { abs($0) > 0.3 })
        }
        // A click of full scale is the hardest of all.
        var click = silence
        click[rate / 20] = 1
        #expect(truePeak(processed(click, rate: rate)) <= -1)
    }

    @Test("Words come out at least 5 dB louder, and no louder than the ceiling allows")
    func louder() throws {
        func level(_ samples: [Float]) -> Double {
            decibels((samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)).squareRoot())
        }
        let speech = try speech()
        #expect(level(processed(speech)) - level(speech) > 5)
        // A soft chime comes nearer to the words.
        #expect(level(processed(speech.map { $0 / 4 })) - level(processed(speech)) > -6)
    }

    // MARK: How it does it

    @Test("The same frames give the same frames, however they are cut", arguments: [1, 7, 959, 48_000])
    func periods(count: Int) throws {
        let speech = Array(try speech().prefix(30_000))
        #expect(processed(speech, by: count) == processed(speech, by: 960))
    }

    @Test(
        "Sound leaves at most 5 ms later than it came, in its order", arguments: [8000, 22_050, 44_100, 48_000, 96_000])
    func latency(rate: Int) throws {
        let latency = SmallSpeakerChain(resonance: 300, sampleRate: rate).latency
        #expect(Double(latency) / Double(rate) <= 0.005)
        var click = [Float](repeating: 0, count: rate / 10)
        click[100] = 0.5
        let output = processed(click, rate: rate)
        // The filters move a click's peak by a frame or two.
        let peak = try #require(output.indices.max { abs(output[$0]) < abs(output[$1]) })
        #expect((98...104).contains(peak))
    }

    @Test("Silence stays silent, and the end of a sound dies away to nothing")
    func silence() {
        #expect(processed([Float](repeating: 0, count: 5000)).allSatisfy { $0 == 0 })
        let output = processed(sine(500, decibels: -10) + [Float](repeating: 0, count: 24_000))
        #expect(output.suffix(1000).allSatisfy { $0 == 0 })
    }

    @Test("Begun anew, it remembers nothing")
    func reset() {
        var chain = SmallSpeakerChain(resonance: 300, sampleRate: Self.rate)
        var first = sine(700, decibels: 3)
        chain.process(&first)
        chain.reset()
        var again = sine(500, decibels: -10)
        chain.process(&again)
        var fresh = SmallSpeakerChain(resonance: 300, sampleRate: Self.rate)
        var expected = sine(500, decibels: -10)
        fresh.process(&expected)
        #expect(again == expected)
    }
}
