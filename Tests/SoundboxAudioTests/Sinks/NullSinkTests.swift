import SoundboxCore
import Testing

@testable import SoundboxAudio

@Suite("The sink that plays nothing")
struct NullSinkTests {
    private let clock = SteppingClock()
    private let period = [UInt8](repeating: 0, count: PCMFormat.mono48kHz.bytesPerPeriod)

    private func sink() -> NullSink<SteppingClock> { NullSink(clock: clock) }

    @Test("takes the mixer's format")
    func format() async {
        #expect(await NullSink().open() == .mono48kHz)
        #expect(PCMFormat.mono48kHz.duration(ofFrames: PCMFormat.mono48kHz.framesPerPeriod) == .milliseconds(20))
    }

    @Test("lets a caller run one buffer ahead, then holds it back to real time")
    func pace() async {
        let sink = sink()
        var times: [Duration] = []
        for _ in 0..<8 {
            await sink.write(period)
            times.append(clock.elapsed)
        }
        #expect(times == [0, 0, 0, 0, 0, 20, 40, 60].map { .milliseconds($0) })
    }

    @Test("drains when the last frame would have left the speaker")
    func drain() async {
        let sink = sink()
        for _ in 0..<10 { await sink.write(period) }
        await sink.drain()
        #expect(clock.elapsed == .milliseconds(200))
        await sink.drain()
        #expect(clock.elapsed == .milliseconds(200))
    }

    @Test("goes on from now when a caller came late, as after an underrun")
    func underrun() async {
        let sink = sink()
        await sink.write(period)
        clock.advance(by: .seconds(1))
        await sink.write(period)
        await sink.drain()
        #expect(clock.elapsed == .milliseconds(1020))
    }

    @Test("drains at once when nothing was written, or after it was closed")
    func nothing() async {
        let sink = sink()
        await sink.drain()
        await sink.write(period)
        await sink.close()
        await sink.drain()
        #expect(clock.elapsed == .zero)
    }

    @Test("counts frames, not bytes, in a wider format")
    func wide() async {
        let format = PCMFormat(sampleRate: 44_100, channelCount: 2, encoding: .int32, framesPerPeriod: 441)
        let sink = NullSink(format: format, clock: clock)
        await sink.write([UInt8](repeating: 0, count: 44_100 * 8))
        await sink.drain()
        #expect(clock.elapsed == .seconds(1))
    }

    @Test("holds nobody back whose task was cancelled")
    func cancelled() async {
        let sink = NullSink()
        let task = Task {
            // An hour of sound.
            for _ in 0..<180_000 { await sink.write(period) }
            await sink.drain()
        }
        task.cancel()
        await task.value
    }
}
