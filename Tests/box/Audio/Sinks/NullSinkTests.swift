import SoundboxCore
import SoundboxSystem
import Testing

@testable import SoundboxAudio

@Suite("The sink that plays nothing", .timeLimit(.minutes(10)))
struct NullSinkTests {
    private let clock = SteppingClock()
    private let period = [UInt8](repeating: 0, count: PCMFormat.mono48kHz.bytesPerPeriod)

    private func sink() -> NullSink { NullSink(clock: clock) }

    @Test("takes the mixer's format")
    func format() {
        #expect(NullSink().open() == .mono48kHz)
        #expect(PCMFormat.mono48kHz.duration(ofFrames: PCMFormat.mono48kHz.framesPerPeriod) == .milliseconds(20))
    }

    @Test("lets a caller run one buffer ahead, then holds it back to real time, two periods of the mixer's at once")
    func pace() throws {
        let sink = sink()
        var times: [Duration] = []
        for _ in 0..<10 {
            try sink.write(period)
            times.append(clock.now)
        }
        #expect(times == [0, 0, 0, 0, 0, 0, 40, 40, 80, 80].map { .milliseconds($0) })
    }

    @Test("drains when the last frame would have left the speaker")
    func drain() throws {
        let sink = sink()
        for _ in 0..<10 { try sink.write(period) }
        try sink.drain()
        #expect(clock.now == .milliseconds(200))
        try sink.drain()
        #expect(clock.now == .milliseconds(200))
    }

    @Test("goes on from now when a caller came late, as after an underrun")
    func underrun() throws {
        let sink = sink()
        try sink.write(period)
        clock.advance(by: .seconds(1))
        try sink.write(period)
        try sink.drain()
        #expect(clock.now == .milliseconds(1020))
    }

    @Test("drains at once when nothing was written, or after it was closed")
    func nothing() throws {
        let sink = sink()
        try sink.drain()
        try sink.write(period)
        sink.close()
        try sink.drain()
        #expect(clock.now == .zero)
    }

    @Test("counts frames, not bytes, in a wider format")
    func wide() throws {
        let format = PCMFormat(sampleRate: 44_100, channelCount: 2, encoding: .int32, framesPerPeriod: 441)
        let sink = NullSink(format: format, clock: clock)
        try sink.write([UInt8](repeating: 0, count: 44_100 * 8))
        try sink.drain()
        #expect(clock.now == .seconds(1))
    }

    @Test("lets go of a thread that waits for an hour of sound when it is interrupted", arguments: [true, false])
    func interrupted(whileDraining: Bool) async throws {
        let sink = NullSink(buffer: whileDraining ? .seconds(7200) : .milliseconds(100))
        let error = try await onOwnThread(named: "sound") { () -> AudioSinkError? in
            _ = sink.open()
            startThread(named: "interrupter") { sink.interrupt() }
            do throws(AudioSinkError) {
                try sink.write([UInt8](repeating: 0, count: 3600 * 96_000))
                try sink.drain()
            } catch {
                return error
            }
            return nil
        }
        #expect(error == .interrupted)
    }
}
