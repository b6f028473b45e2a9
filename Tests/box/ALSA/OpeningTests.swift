import Glibc
import SoundboxALSA
import SoundboxCore
import Testing

@Suite("Opening an ALSA device")
struct OpeningTests {
    @Test("Nothing is opened before it is asked for")
    func opensNothingByItself() {
        let bench = Bench()
        bench.sink.close()
        #expect(bench.pcm.seen.calls.isEmpty)
    }

    @Test("A device that takes everything gets mono, 16 bits, its rate and periods of 40 ms, which the mixer renders")
    func prefersWhatCostsLeast() throws {
        let bench = Bench(preferredRate: 44_100)
        let format = try bench.sink.open()
        #expect(format == PCMFormat(sampleRate: 44_100, channelCount: 1, encoding: .int16, framesPerPeriod: 1_764))
        let seen = bench.pcm.seen
        #expect(seen.openings == ["card"])
        #expect(seen.period == 1_764)
        #expect(seen.buffer == 6 * 1_764)
        #expect(seen.startThreshold == 2 * 1_764)
    }

    @Test(
        "The first encoding that the device takes is chosen",
        arguments: [
            ([.float32, .int32], SampleEncoding.int32), ([.int24Packed, .int24], .int24),
            ([.int24Packed, .float32], .int24Packed), ([.float32], .float32),
        ] as [([SampleEncoding], SampleEncoding)])
    func encoding(taken: [SampleEncoding], chosen: SampleEncoding) throws {
        let format = try Bench(.init(encodings: taken)).sink.open()
        #expect(format.encoding == chosen)
    }

    @Test("One channel is preferred to two, two to many", arguments: [([2, 1], 1), ([2, 8], 2), ([6, 8], 6)])
    func channels(taken: [Int], chosen: Int) throws {
        let format = try Bench(.init(channelCounts: taken)).sink.open()
        #expect(format.channelCount == chosen)
    }

    @Test("A device with a rate of its own sets the rate", arguments: [16_000, 44_100, 96_000])
    func rate(of device: Int) throws {
        let format = try Bench(.init(rates: device...device)).sink.open()
        #expect(format.sampleRate == device)
        #expect(format.framesPerPeriod == device / 25)
    }

    @Test(
        "The thread sleeps 80 ms, whatever the device's periods are; two thirds of the buffer are left then",
        arguments: [
            (1...10_000, false, 11_520, 3_840, 1_920), (1...128, false, 11_520, 3_840, 1_920),
            (1_024...1_024, false, 11_520, 3_840, 1_920), (2_048...4_096, false, 11_520, 3_840, 1_920),
            (1...10_000, true, 11_520, 3_840, 3_840), (24_000...24_000, true, 72_000, 24_000, 3_840),
        ])
    func sizes(periods: ClosedRange<Int>, isServer: Bool, buffer: Int, slept: Int, rendered: Int) throws {
        let bench = Bench(.init(periods: periods, isServer: isServer))
        let format = try bench.sink.open()
        #expect(format.framesPerPeriod == rendered)
        #expect(bench.pcm.seen.buffer == buffer)
        // A frame for each sleep: the nanoseconds of a sleep are rounded down.
        try bench.write(buffer + 10 * (slept - 1), of: format)
        #expect(bench.pcm.seen.sleeps == 10)
    }

    @Test(
        "A device with a short buffer wakes the thread at each of its periods, which are what is rendered then",
        arguments: [(64, 192, 64, 64), (160, 480, 160, 160), (1_024, 3_072, 1_024, 1_024), (512, 5_120, 1_280, 1_280)])
    func shortBuffer(period: Int, buffer: Int, slept: Int, rendered: Int) throws {
        let bench = Bench(.init(periods: period...period, buffers: buffer...buffer))
        let format = try bench.sink.open()
        #expect(format.framesPerPeriod == rendered)
        // A frame for each sleep: the nanoseconds of a sleep are rounded down.
        try bench.write(buffer + 10 * (slept - 1), of: format)
        #expect(bench.pcm.seen.sleeps == 10)
    }

    @Test(
        "An announcement of 4.7 s, its end included, wakes the thread at most 1.3 times for each 80 ms of it",
        arguments: [1_024, 1_920])
    func wakeUps(period: Int) throws {
        let bench = Bench(.init(periods: period...period))
        let format = try bench.sink.open()
        try bench.write(225_600, of: format)
        try bench.sink.drain()
        #expect(bench.pcm.seen.sleeps <= 225_600 * 13 / 10 / 3_840)
    }

    @Test("A buffer of one period can still start to play")
    func singlePeriod() throws {
        let bench = Bench(.init(periods: 1...960, buffers: 1...960))
        try bench.announce(periods: 3)
        #expect(bench.pcm.seen.startThreshold == 960)
    }

    @Test("A device that refuses the sizes when they are installed gets to choose its own")
    func ownSizes() throws {
        let bench = Bench()
        bench.pcm.fail(.hardware, EINVAL)
        #expect(try bench.sink.open().framesPerPeriod == 1_024)
        #expect(bench.pcm.seen.period == 1_024)
        #expect(bench.pcm.seen.buffer == 4_096)
    }

    @Test(
        "A device that takes nothing the mixer makes says so and is closed",
        arguments: [
            (ScriptedPCM.Card(encodings: []), "it takes none of int16, int32, int24, int24Packed, float32"),
            (ScriptedPCM.Card(rates: 4_000...4_000), "its nearest rate is 4000 Hz"),
            (ScriptedPCM.Card(periods: 0...0), "it has 11520 frames of buffer for periods of 0"),
            (ScriptedPCM.Card(buffers: 100...100), "it has 100 frames of buffer for periods of 1920"),
        ])
    func unsupported(card: ScriptedPCM.Card, reason: String) {
        let bench = Bench(card)
        let error = sinkError { () throws(AudioSinkError) in _ = try bench.sink.open() }
        #expect(error == .unsupportedFormat(device: "card", reason: reason))
        #expect(!bench.pcm.seen.isOpen)
    }

    @Test("A device without interleaved samples says so")
    func notInterleaved() {
        let bench = Bench()
        bench.pcm.fail(.reset, EINVAL, times: 2)
        let error = sinkError { () throws(AudioSinkError) in _ = try bench.sink.open() }
        #expect(error == .unsupportedFormat(device: "card", reason: "it does not take interleaved samples"))
    }

    @Test(
        "A device that fails while the format is agreed on is closed, and opens at the next attempt",
        arguments: [
            ScriptedPCM.Call.reset, .encoding, .channels, .rate, .period, .buffer, .hardware, .software,
        ], [ENODEV, EIO, EBUSY])
    func failsMeanwhile(call: ScriptedPCM.Call, code: Int32) throws {
        let bench = Bench()
        bench.pcm.fail(call, code)
        let error = sinkError { () throws(AudioSinkError) in _ = try bench.sink.open() }
        guard case .unavailable("card", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!bench.pcm.seen.isOpen)
        try bench.announce(periods: 1)
    }

    @Test("The reason for a device that does not open says what to do")
    func reasons() {
        let expected: [(Int32, String)] = [
            (ENOENT, "there is no such device"), (ENODEV, "there is no such device"),
            (EBUSY, "another program is using it; stop that program"),
            (EACCES, "add the user to the group \"audio\""), (EPERM, "its unit lacks DeviceAllow=char-116"),
            (ECONNREFUSED, "its sound server does not answer; start the server"), (EIO, "Input/output error"),
        ]
        for (code, words) in expected {
            let bench = Bench()
            bench.pcm.fail(.open, code)
            let error = sinkError { () throws(AudioSinkError) in _ = try bench.sink.open() }
            let text = error?.description ?? ""
            #expect(text.hasPrefix("cannot open audio device \"card\": ") && text.contains(words), "\(text)")
        }
    }

    @Test("An open device is not opened twice")
    func cheap() throws {
        let bench = Bench()
        let format = try bench.sink.open()
        let calls = bench.pcm.seen.calls
        #expect(try bench.sink.open() == format)
        #expect(bench.pcm.seen.calls == calls)
    }

    @Test(
        "A device that was lost between two announcements is opened again",
        arguments: [PCMState.disconnected, .suspended, .xrun, .setup, .other])
    func lostWhileIdle(state: PCMState) throws {
        let bench = Bench()
        try bench.announce(periods: 2)
        bench.pcm.change {
            $0.state = state
            $0.card.rates = 22_050...22_050
        }
        #expect(try bench.sink.open().sampleRate == 22_050)
        #expect(bench.pcm.seen.openings.count == 2)
        #expect(bench.pcm.seen.closings == 1)
    }
}
