import Glibc
import SoundboxALSA
import SoundboxCore
import Testing

@Suite("Draining an ALSA device")
struct DrainingTests {
    @Test("Draining ends with the last frame heard and the device prepared", arguments: [1, 3, 4, 5, 20])
    func complete(periods: Int) throws {
        let bench = Bench()
        let written = try bench.announce(periods: periods)
        #expect(bench.pcm.seen.heard == written)
        #expect(bench.pcm.state == .prepared)
        #expect(bench.pcm.seen.isOpen)
    }

    @Test("A driver that answers \"again\" although all was heard does not keep the caller")
    func answersAgain() throws {
        let bench = Bench(.init(answersAgainWhenDrained: true))
        let written = try bench.announce(periods: 6)
        #expect(bench.pcm.seen.heard == written)
    }

    @Test("The last period is filled with silence", arguments: [1, 1_919, 1_921, 5_000])
    func padded(count: Int) throws {
        let bench = Bench()
        let format = try bench.sink.open()
        let written = try bench.write(count, of: format)
        try bench.sink.drain()
        let heard = bench.pcm.seen.heard
        #expect(heard.prefix(written.count) == written[...])
        let bytesPerPeriod = bench.pcm.seen.period * format.bytesPerFrame
        #expect(heard.count.isMultiple(of: bytesPerPeriod))
        #expect(heard.count - written.count < bytesPerPeriod)
        #expect(heard.dropFirst(written.count).allSatisfy { $0 == 0 })
    }

    @Test("Periods are counted anew after an underrun: what is whole then is not padded")
    func paddedAfterUnderrun() throws {
        let bench = Bench()
        let format = try bench.sink.open()
        let period = bench.pcm.seen.period
        let first = try bench.write(5 * period / 2, of: format)
        bench.pcm.passTime(.seconds(1))
        let second = try bench.write(period, of: format)
        try bench.sink.drain()
        #expect(bench.pcm.seen.heard == first + second)
    }

    @Test("Several announcements follow one another on one opening")
    func several() throws {
        let bench = Bench()
        let written = try bench.announce(periods: 2) + bench.announce(periods: 9) + bench.announce(periods: 1)
        #expect(bench.pcm.seen.heard == written)
        #expect(bench.pcm.seen.openings.count == 1)
        #expect(bench.sink.xrunCount == 0)
    }

    @Test("Nothing written means nothing to drain: the device is not even touched")
    func nothing() throws {
        let bench = Bench()
        _ = try bench.sink.open()
        let calls = bench.pcm.seen.calls
        try bench.sink.drain()
        #expect(bench.pcm.seen.calls == calls)
    }

    @Test("A second drain has nothing to wait for")
    func twice() throws {
        let bench = Bench()
        try bench.announce(periods: 2)
        let calls = bench.pcm.seen.calls
        try bench.sink.drain()
        #expect(bench.pcm.seen.calls == calls)
    }

    @Test("A device that ran dry before the drain has played everything, which is no underrun")
    func ranDry() throws {
        let bench = Bench()
        let format = try bench.sink.open()
        let written = try bench.write(7 * format.framesPerPeriod, of: format)
        bench.pcm.passTime(.seconds(1))
        try bench.sink.drain()
        #expect(bench.pcm.seen.heard == written)
        #expect(bench.pcm.state == .prepared)
        #expect(bench.sink.xrunCount == 0)
    }

    @Test("A device that runs dry during the drain has played everything", arguments: [ScriptedPCM.Call.write, .drain])
    func runsDry(call: ScriptedPCM.Call) throws {
        let bench = Bench()
        let format = try bench.sink.open()
        try bench.write(5 * format.framesPerPeriod / 2, of: format)
        bench.pcm.fail(call, EPIPE, state: .xrun)
        try bench.sink.drain()
        #expect(bench.pcm.state == .prepared)
        #expect(bench.sink.xrunCount == 0)
    }

    @Test("A call that a signal interrupts is made again")
    func interrupted() throws {
        let bench = Bench()
        bench.pcm.fail(.drain, EINTR, times: 2)
        let written = try bench.announce(periods: 3)
        #expect(bench.pcm.seen.heard == written)
    }

    @Test("A device that cannot tell its delay is drained as well")
    func unknownDelay() throws {
        let bench = Bench()
        bench.pcm.fail(.delay, EIO, times: .max)
        let written = try bench.announce(periods: 5)
        #expect(bench.pcm.seen.heard == written)
    }

    @Test("A driver that hangs is given up when the least timeout is over")
    func stalled() {
        let bench = Bench(.init(standsStillUntil: .seconds(3_600)))
        let error = sinkError { () throws(AudioSinkError) in try bench.announce(periods: 2) }
        #expect(error == .writeFailed(device: "card", reason: "it did not finish playing within 5000 ms"))
        #expect(bench.pcm.seen.now == SinkTimeout.least)
        #expect(!bench.pcm.seen.isOpen)
    }

    @Test("The machine's sleep during the drain is survived when the device resumes")
    func resumed() throws {
        let bench = Bench()
        bench.pcm.fail(.drain, ESTRPIPE, callsBefore: 1, state: .suspended)
        let written = try bench.announce(periods: 4)
        #expect(bench.pcm.seen.heard == written)
    }

    @Test(
        "A device that is lost before the last frame was heard is closed and reported",
        arguments: [ENODEV, EIO, EBADFD], [ScriptedPCM.Call.start, .drain])
    func lost(code: Int32, call: ScriptedPCM.Call) throws {
        let bench = Bench()
        bench.pcm.fail(call, code, state: .disconnected)
        // So short that it does not start by itself.
        let error = sinkError { () throws(AudioSinkError) in try bench.announce(periods: 1) }
        guard case .writeFailed("card", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!bench.pcm.seen.isOpen)
        bench.pcm.change { $0.heard = [] }
        let written = try bench.announce(periods: 2)
        #expect(bench.pcm.seen.heard == written)
    }

    @Test("A device that is unplugged while it drains is reported, whatever it answers")
    func unplugged() {
        let bench = Bench()
        bench.pcm.fail(.drain, EAGAIN, callsBefore: 1, state: .disconnected)
        let error = sinkError { () throws(AudioSinkError) in try bench.announce(periods: 4) }
        #expect(error == .writeFailed(device: "card", reason: "it was unplugged, or its driver is gone"))
    }

    @Test("An announcement that was heard stays heard when the device fails afterwards; the next one opens it again")
    func failsAfterwards() throws {
        let bench = Bench()
        bench.pcm.fail(.prepare, EIO)
        try bench.announce(periods: 2)
        try bench.announce(periods: 2)
        #expect(bench.pcm.seen.openings.count == 2)
    }
}
