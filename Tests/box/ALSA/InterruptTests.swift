import Glibc
import SoundboxALSA
import SoundboxCore
import Testing

@Suite("Interrupting an ALSA device")
struct InterruptTests {
    @Test("A write that waits for a card that stands still ends at once, and the device is closed")
    func write() throws {
        let bench = Bench(.init(standsStillUntil: .seconds(3_600)))
        let format = try bench.sink.open()
        bench.pcm.change { [sink = bench.sink] in $0.isWaiting = { sink.interrupt() } }
        let error = sinkError { () throws(AudioSinkError) in
            try bench.write(20 * format.framesPerPeriod, of: format)
        }
        #expect(error == .interrupted)
        #expect(bench.pcm.seen.now <= .milliseconds(100))
        #expect(!bench.pcm.seen.isOpen)
    }

    @Test("So does a drain, also of a card with periods of seconds", arguments: [960, 96_000])
    func drain(period: Int) throws {
        let bench = Bench(
            .init(periods: period...period, buffers: 1...1_000_000, standsStillUntil: .seconds(3_600)))
        bench.pcm.change { [sink = bench.sink] in $0.isWaiting = { sink.interrupt() } }
        let error = sinkError { () throws(AudioSinkError) in try bench.announce(periods: 1) }
        #expect(error == .interrupted)
        #expect(bench.pcm.seen.now <= .milliseconds(100))
        #expect(!bench.pcm.seen.isOpen)
    }

    @Test("So does waiting for a card that the machine's sleep stopped")
    func resume() throws {
        let bench = Bench()
        bench.pcm.fail(.write, ESTRPIPE, callsBefore: 2, state: .suspended)
        bench.pcm.fail(.resume, EAGAIN, times: .max)
        bench.pcm.change { [sink = bench.sink] in $0.isWaiting = { sink.interrupt() } }
        let error = sinkError { () throws(AudioSinkError) in try bench.announce(periods: 4) }
        #expect(error == .interrupted)
        #expect(bench.pcm.seen.now <= .milliseconds(100))
    }

    @Test("After the next opening an announcement is heard whole, and nothing of the one before")
    func again() throws {
        let bench = Bench()
        let format = try bench.sink.open()
        try bench.write(3 * format.framesPerPeriod, of: format)
        bench.sink.interrupt()
        let error = sinkError { () throws(AudioSinkError) in try bench.sink.drain() }
        #expect(error == .interrupted)
        let written = try bench.announce(periods: 7)
        #expect(bench.pcm.seen.heard == written)
        #expect(bench.sink.xrunCount == 0)
    }
}
