import SoundboxCore
import SoundboxTesting
import Synchronization
import Testing
import VoiceTestSupport

@testable import SoundboxAudio
@testable import SoundboxVoice

@Suite("The amplifier behind a sink", .timeLimit(.minutes(10)))
struct AmplifiedSinkTests {
    private let panel = FakePanel()
    private let device = RecordingSink()
    private let lags: AsyncStream<CheckedContinuation<Void, Never>>
    private let sink: AmplifiedSink
    private let format = PCMFormat.mono48kHz

    init() {
        let (lags, lag) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
        self.lags = lags
        let amplifier = Amplifier(lead: .milliseconds(50), lag: .milliseconds(200)) {
            [panel] isOn throws(PanelError) in try panel.setAmplifier(isOn)
        }
        sink = AmplifiedSink(device, amplifier: amplifier) { time in
            #expect(time == .milliseconds(200))
            await withCheckedContinuation { _ = lag.yield($0) }
            // Whether it was the last word is the sink's to know, not the clock's.
            try Task.checkCancellation()
        }
    }

    /// Plays a period of sound that is 7 everywhere.
    private func announce() async throws(AudioSinkError) {
        _ = try await sink.open()
        try await sink.write([UInt8](repeating: 7, count: format.bytesPerPeriod))
        try await sink.drain()
    }

    @Test("It goes on before the first frame, which comes after the lead, and off after the lag")
    func leadAndLag() async throws {
        var lags = lags.makeAsyncIterator()
        _ = try await sink.open()
        #expect(panel.amplifierChanges == [])
        try await announce()
        let heard = try #require(await device.announcements.first)
        let lead = format.frames(in: .milliseconds(50)) * format.bytesPerFrame
        #expect(heard.prefix(lead).allSatisfy { $0 == 0 })
        #expect(heard.dropFirst(lead) == [UInt8](repeating: 7, count: format.bytesPerPeriod)[...])
        #expect(panel.amplifierChanges == [true])
        (await lags.next())?.resume()
        while panel.isAmplifierOn { await Task.yield() }
        #expect(panel.amplifierChanges == [true, false])
        #expect(await device.misuses == [])
    }

    @Test(
        "Announcements that follow each other find it on and begin at once; a lag that is over too late counts no more")
    func backToBack() async throws {
        var lags = lags.makeAsyncIterator()
        try await announce()
        let first = await lags.next()
        try await announce()
        let second = await lags.next()
        // The first one's time is up in the middle of the third.
        _ = try await sink.open()
        try await sink.write([UInt8](repeating: 7, count: format.bytesPerPeriod))
        first?.resume()
        second?.resume()
        try await sink.drain()
        #expect(panel.amplifierChanges == [true])
        let lengths = await device.announcements.map(\.count)
        #expect(lengths.dropFirst().allSatisfy { $0 == format.bytesPerPeriod })
        (await lags.next())?.resume()
        while panel.isAmplifierOn { await Task.yield() }
    }

    @Test(
        "It is off as soon as the device fails, and on again with its lead when the device is back",
        arguments: RecordingSink.Call.allCases)
    func deviceLost(call: RecordingSink.Call) async throws {
        var lags = lags.makeAsyncIterator()
        try await announce()
        let failure = AudioSinkError.writeFailed(device: "card", reason: "it was unplugged")
        await device.fail(call, with: failure)
        await #expect(throws: failure) { try await announce() }
        #expect(panel.amplifierChanges == [true, false])
        try await announce()
        #expect(panel.amplifierChanges == [true, false, true])
        #expect(await device.announcements.last?.count ?? 0 > format.bytesPerPeriod)
        for _ in 1...2 { (await lags.next())?.resume() }
        if call == .drain { return }
        while panel.isAmplifierOn { await Task.yield() }
    }

    @Test("Closing the device switches it off at once, and before the device")
    func closing() async throws {
        try await announce()
        await sink.close()
        #expect(panel.amplifierChanges == [true, false])
        #expect(await !device.isOpen)
        var lags = lags.makeAsyncIterator()
        (await lags.next())?.resume()
        await sink.close()
        #expect(panel.amplifierChanges == [true, false])
    }

    @Test("One that cannot be switched on is an error of the sink: nobody would hear the sound")
    func cannotBeSwitchedOn() async throws {
        panel.fail(with: .lineFailed(name: "GPIO25", reason: "its GPIO chip is gone"))
        let expected = AudioSinkError.writeFailed(
            device: "amplifier", reason: "GPIO line \"GPIO25\" failed: its GPIO chip is gone")
        await #expect(throws: expected) { try await announce() }
        #expect(await !device.isOpen)
        #expect(await device.announcements.isEmpty)
        panel.fail(with: nil)
        try await announce()
        #expect(panel.isAmplifierOn)
        await sink.close()
        var lags = lags.makeAsyncIterator()
        (await lags.next())?.resume()
    }

    @Test("A player switches it on for announcements only, and off when the box ends")
    func player() async throws {
        let voice = try Voice(directory: "\(shippedSounds)/zh-CN")
        let player = Player(sink: sink, voices: Voices(first: voice), volume: Volume(50))
        try await player.prepare()
        #expect(panel.amplifierChanges == [])
        let script = try voice.writer.exactScript(for: .prompt(.volumeMaximum))
        for _ in 1...2 { try await player.play(script) }
        #expect(panel.amplifierChanges == [true])
        await player.close()
        #expect(panel.amplifierChanges == [true, false])
        var lags = lags.makeAsyncIterator()
        for _ in 1...2 { (await lags.next())?.resume() }
    }

    @Test("The sink keeps the contract", arguments: AudioSinkContract.allCases)
    func contract(rule: AudioSinkContract) async {
        let amplifier = Amplifier(lead: .milliseconds(50), lag: .zero) { _ in }
        let device = RecordingSink()
        #expect(await rule.problem(with: AmplifiedSink(device, amplifier: amplifier)) == nil)
        #expect(await device.misuses == [])
    }
}
