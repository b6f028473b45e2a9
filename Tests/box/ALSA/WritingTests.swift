import Glibc
import SoundboxALSA
import SoundboxCore
import Testing

@Suite("Writing to an ALSA device")
struct WritingTests {
    @Test(
        "Everything written is heard, in order, whatever the device takes at once", arguments: [Int.max, 960, 100, 1])
    func complete(framesPerWrite: Int) throws {
        let bench = Bench(.init(framesPerWrite: framesPerWrite))
        let written = try bench.announce(periods: 20)
        #expect(bench.pcm.seen.heard == written)
        #expect(bench.sink.xrunCount == 0)
    }

    @Test("The caller runs one device buffer ahead and no more")
    func pace() throws {
        let bench = Bench()
        let format = try bench.sink.open()
        try bench.write(20 * format.framesPerPeriod, of: format)
        let seen = bench.pcm.seen
        #expect(seen.heard.count == 14 * format.bytesPerPeriod)
        #expect(seen.queued.count == 6 * format.bytesPerPeriod)
    }

    @Test("A write that the device takes at once reads no clock, and one that waits does")
    func clock() throws {
        let bench = Bench()
        let format = try bench.sink.open()
        try bench.write(6 * format.framesPerPeriod, of: format)
        #expect(bench.pcm.seen.clockReads == 0)
        try bench.write(format.framesPerPeriod, of: format)
        #expect(bench.pcm.seen.clockReads > 0)
    }

    @Test("Playing starts by itself with 80 ms in the buffer")
    func start() throws {
        let bench = Bench()
        let format = try bench.sink.open()
        try bench.write(format.framesPerPeriod, of: format)
        #expect(bench.pcm.state == .prepared)
        try bench.write(format.framesPerPeriod, of: format)
        #expect(bench.pcm.state == .running)
    }

    @Test("A call that a signal interrupts is made again")
    func interrupted() throws {
        let bench = Bench()
        bench.pcm.fail(.write, EINTR, callsBefore: 2, times: 3)
        let written = try bench.announce(periods: 20)
        #expect(bench.pcm.seen.heard == written)
        #expect(bench.pcm.seen.failures.isEmpty)
    }

    @Test("After an underrun the rest is played, nothing twice, and the gap is counted")
    func underrun() throws {
        let bench = Bench()
        let format = try bench.sink.open()
        let first = try bench.write(7 * format.framesPerPeriod, of: format)
        bench.pcm.passTime(.seconds(1))
        #expect(bench.pcm.state == .xrun)
        let second = try bench.write(4 * format.framesPerPeriod, of: format)
        try bench.sink.drain()
        #expect(bench.pcm.seen.heard == first + second)
        #expect(bench.sink.xrunCount == 1)
    }

    @Test("A sound server tells of no gap: a sleep that outlasts its buffer counts as one, and one within it does not")
    func gap() throws {
        for (late, count) in [(Duration.milliseconds(150), 0), (.seconds(3), 1)] {
            let bench = Bench(.init(isServer: true))
            let format = try bench.sink.open()
            bench.pcm.change { $0.late = late }
            try bench.write(10 * format.framesPerPeriod, of: format)
            try bench.sink.drain()
            #expect(bench.sink.xrunCount == count)
        }
    }

    @Test("A device that plays is not given up, however long one write takes")
    func slow() throws {
        let bench = Bench(preferredRate: 8_000)
        let format = try bench.sink.open()
        let written = frames(12 * format.sampleRate, of: format)
        try bench.sink.write(written)
        try bench.sink.drain()
        #expect(bench.pcm.seen.heard == written)
    }

    @Test("Underruns are counted across openings")
    func underrunsAddUp() throws {
        let bench = Bench()
        for _ in 1...3 {
            bench.pcm.fail(.write, EPIPE, callsBefore: 1)
            try bench.announce(periods: 4)
            bench.sink.close()
        }
        #expect(bench.sink.xrunCount == 3)
    }

    @Test("A device that the machine's sleep stopped goes on where it was, once it answers")
    func resumed() throws {
        let bench = Bench()
        let format = try bench.sink.open()
        bench.pcm.fail(.write, ESTRPIPE, callsBefore: 6, state: .suspended)
        bench.pcm.fail(.resume, EAGAIN, times: 5)
        let written = try bench.write(20 * format.framesPerPeriod, of: format)
        try bench.sink.drain()
        #expect(bench.pcm.seen.heard.count == written.count)
        #expect(bench.sink.xrunCount == 0)
    }

    @Test(
        "A device that lost its sound in the machine's sleep is reported, so that the announcement is repeated",
        arguments: [(ENOSYS, 1), (EAGAIN, 1_000), (EIO, 1)])
    func notResumed(code: Int32, times: Int) {
        let bench = Bench()
        bench.pcm.fail(.write, ESTRPIPE, callsBefore: 6, state: .suspended)
        bench.pcm.fail(.resume, code, times: times)
        let error = sinkError { () throws(AudioSinkError) in try bench.announce(periods: 20) }
        #expect(
            error
                == .writeFailed(
                    device: "card", reason: "the machine slept and the sound card lost what it was playing"))
        #expect(!bench.pcm.seen.isOpen)
    }

    @Test("A driver that hangs is given up when the least timeout is over, and is not asked without a pause")
    func stalled() throws {
        let bench = Bench(.init(standsStillUntil: .seconds(3_600)))
        let format = try bench.sink.open()
        let error = sinkError { () throws(AudioSinkError) in
            try bench.write(20 * format.framesPerPeriod, of: format)
        }
        #expect(error == .writeFailed(device: "card", reason: "it took no sound for 5000 ms"))
        #expect(bench.pcm.seen.now == SinkTimeout.least)
        #expect(bench.pcm.seen.calls.count(where: { $0 == .write }) < 5_000 / 10 + 10)
        #expect(!bench.pcm.seen.isOpen)
    }

    @Test("A long buffer makes for a long timeout: twice what it holds")
    func timeout() throws {
        let bench = Bench(
            .init(periods: 32_000...32_000, buffers: 1...1_000_000, standsStillUntil: .seconds(3_600)),
            preferredRate: 8_000)
        let error = sinkError { () throws(AudioSinkError) in try bench.announce(periods: 20) }
        #expect(error == .writeFailed(device: "card", reason: "it took no sound for 24000 ms"))
    }

    @Test("A sound server that moves in steps of two seconds is waited for")
    func slowServer() throws {
        let bench = Bench(.init(standsStillUntil: .seconds(2)))
        let written = try bench.announce(periods: 20)
        #expect(bench.pcm.seen.heard == written)
    }

    @Test("An error that repeats without a frame being taken ends", arguments: [EPIPE, EINTR, ESTRPIPE])
    func endless(code: Int32) {
        let bench = Bench()
        bench.pcm.fail(.write, code, times: .max)
        let error = sinkError { () throws(AudioSinkError) in try bench.announce(periods: 2) }
        guard case .writeFailed("card", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(bench.pcm.seen.calls.count(where: { $0 == .write }) < 20)
        #expect(!bench.pcm.seen.isOpen)
    }

    @Test(
        "A device that is gone or broken is closed and reported, and opens again when it is back",
        arguments: [ENODEV, EIO, EBADFD, ENXIO, EFAULT])
    func lost(code: Int32) throws {
        let bench = Bench()
        bench.pcm.fail(.write, code, callsBefore: 3, state: .disconnected)
        let error = sinkError { () throws(AudioSinkError) in try bench.announce(periods: 20) }
        guard case .writeFailed("card", let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reason.isEmpty)
        #expect(!bench.pcm.seen.isOpen)
        bench.pcm.fail(.open, ENOENT, times: 2)
        for _ in 1...2 {
            let error = sinkError { () throws(AudioSinkError) in _ = try bench.sink.open() }
            guard case .unavailable("card", _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        bench.pcm.change { $0.heard = [] }
        let written = try bench.announce(periods: 3)
        #expect(bench.pcm.seen.heard == written)
    }

    @Test("A device that cannot be prepared after an underrun is reported", arguments: [ENODEV, EIO])
    func notPrepared(code: Int32) {
        let bench = Bench()
        bench.pcm.fail(.write, EPIPE, state: .xrun)
        bench.pcm.fail(.prepare, code)
        let error = sinkError { () throws(AudioSinkError) in try bench.announce(periods: 2) }
        guard case .writeFailed("card", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!bench.pcm.seen.isOpen)
    }

    @Test("Writing to a closed device is reported and opens nothing")
    func closed() {
        let bench = Bench()
        let error = sinkError { () throws(AudioSinkError) in try bench.sink.write([0, 0]) }
        #expect(error == .writeFailed(device: "card", reason: "it is not open"))
        #expect(bench.pcm.seen.calls.isEmpty)
    }
}
