import BenchmarkSupport
import SoundboxAudio
import SoundboxCore
import SoundboxSystem

/// How much faster than real time one core mixes both buses with ducking, ramps and limiting, by format, and for a small
/// loudspeaker.
let mixing = Benchmark(name: "mixer") {
    var figures: [Figure] = []
    let sound = (0..<480_000).map { Int16(truncatingIfNeeded: $0 &* 7919 % 20_000 - 10_000) }
    let cases: [(SampleEncoding, Int, Loudspeaker)] = [
        (.int16, 1, .full), (.int16, 2, .full), (.int24Packed, 2, .full), (.int32, 8, .full), (.float32, 2, .full),
        (.int16, 2, .small()),
    ]
    for (encoding, channels, loudspeaker) in cases {
        let format = PCMFormat(sampleRate: 48_000, channelCount: channels, encoding: encoding, framesPerPeriod: 960)
        var mixer = Mixer(format: format, loudspeaker: loudspeaker)
        var period: [UInt8] = []
        mixer.begin(volume: Volume(80))
        mixer.render(into: &period, volume: Volume(80))
        let before = HeapUse.bytes
        var frames = 0
        let elapsed = await Duration.elapsed {
            for round in 0..<20 {
                mixer.begin(volume: Volume(80))
                for bus in Mixer.Bus.allCases { mixer.play(sound, on: bus, after: bus == .speech ? 24_000 : 0) }
                while !mixer.isFinished {
                    // Pressed all the time: every period is a ramp.
                    mixer.render(into: &period, volume: Volume(70 + (round + frames / 960) % 2 * 10))
                    frames += format.framesPerPeriod
                }
            }
        }
        let ratio = Double(frames) / 48_000 / elapsed.seconds
        figures.append(
            Figure(
                "\(encoding.rawValue), \(channels) channels\(loudspeaker == .full ? "" : ", small loudspeaker")",
                "\(text(ratio)) × real time, heap \(HeapUse.bytes - before) bytes"))
    }
    return figures
}
