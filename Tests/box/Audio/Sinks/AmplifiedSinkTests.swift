import SoundboxCore
import SoundboxSpeech
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
    private let clock = SteppingClock()
    private let amplifier: Amplifier
    private let sink: AmplifiedSink
    private let format = PCMFormat.mono48kHz

    init() {
        amplifier = Amplifier(lead: .milliseconds(50), lag: .milliseconds(200)) {
            [panel] isOn throws(PanelError) in try panel.setAmplifier(isOn)
        }
        sink = AmplifiedSink(device, amplifier: amplifier) { [clock] in clock.now }
    }

    /// Plays a period of sound that is 7 everywhere.
    private func announce() throws(AudioSinkError) {
        _ = try sink.open()
        try sink.write([UInt8](repeating: 7, count: format.bytesPerPeriod))
        try sink.drain()
    }

    @Test("It goes on before the first frame, which comes after the lead, and off after the lag")
    func leadAndLag() throws {
        _ = try sink.open()
        #expect(panel.amplifierChanges == [])
        #expect(sink.restDue == nil)
        try announce()
        let heard = try #require(device.announcements.first)
        let lead = format.frames(in: .milliseconds(50)) * format.bytesPerFrame
        #expect(heard.prefix(lead).allSatisfy { $0 == 0 })
        #expect(heard.dropFirst(lead) == [UInt8](repeating: 7, count: format.bytesPerPeriod)[...])
        #expect(sink.restDue == .milliseconds(200))
        clock.advance(by: .milliseconds(199))
        sink.rest()
        #expect(panel.amplifierChanges == [true])
        clock.advance(by: .milliseconds(1))
        sink.rest()
        #expect(panel.amplifierChanges == [true, false])
        #expect(sink.restDue == nil)
        #expect(device.misuses == [])
    }

    @Test("Announcements that follow each other find it on and begin at once; the lag begins anew with each")
    func backToBack() throws {
        try announce()
        clock.advance(by: .milliseconds(150))
        try announce()
        #expect(sink.restDue == .milliseconds(350))
        clock.advance(by: .milliseconds(100))
        _ = try sink.open()
        try sink.write([UInt8](repeating: 7, count: format.bytesPerPeriod))
        // In the middle of a sound nothing is due.
        #expect(sink.restDue == nil)
        sink.rest()
        try sink.drain()
        #expect(panel.amplifierChanges == [true])
        #expect(device.announcements.dropFirst().allSatisfy { $0.count == format.bytesPerPeriod })
    }

    @Test("The sound thread switches it off by itself when nothing follows")
    func onSoundThread() async throws {
        let amplifier = Amplifier(lead: .zero, lag: .milliseconds(1)) {
            [panel] isOn throws(PanelError) in try panel.setAmplifier(isOn)
        }
        let thread = SoundThread { [device] _ in AmplifiedSink(device, amplifier: amplifier) }
        try await thread.run { device throws(AudioSinkError) in
            _ = try device.open()
            try device.write([1, 0])
            try device.drain()
        }
        while panel.isAmplifierOn { await Task.yield() }
        #expect(panel.amplifierChanges == [true, false])
    }

    @Test("A sink that comes after it finds it off, and the first one can do nothing any more")
    func takenInHand() throws {
        try announce()
        let second = AmplifiedSink(device, amplifier: amplifier) { [clock] in clock.now }
        #expect(panel.amplifierChanges == [true, false])
        _ = try second.open()
        try second.write([UInt8](repeating: 7, count: format.bytesPerPeriod))
        #expect(panel.amplifierChanges == [true, false, true])
        sink.close()
        clock.advance(by: .seconds(1))
        sink.rest()
        #expect(panel.isAmplifierOn)
        second.close()
        #expect(!panel.isAmplifierOn)
    }

    @Test(
        "It is off as soon as the device fails, and on again with its lead when the device is back",
        arguments: RecordingSink.Call.allCases)
    func deviceLost(call: RecordingSink.Call) throws {
        try announce()
        let failure = AudioSinkError.writeFailed(device: "card", reason: "it was unplugged")
        device.fail(call, with: failure)
        #expect(throws: failure) { try announce() }
        #expect(panel.amplifierChanges == [true, false])
        try announce()
        #expect(panel.amplifierChanges == [true, false, true])
        #expect(device.announcements.last?.count ?? 0 > format.bytesPerPeriod)
    }

    @Test("Closing the device switches it off at once, and before the device")
    func closing() throws {
        try announce()
        sink.close()
        #expect(panel.amplifierChanges == [true, false])
        #expect(!device.isOpen)
        sink.close()
        #expect(panel.amplifierChanges == [true, false])
    }

    @Test("One that cannot be switched on is an error of the sink: nobody would hear the sound")
    func cannotBeSwitchedOn() throws {
        panel.fail(with: .lineFailed(name: "GPIO25", reason: "its GPIO chip is gone"))
        let expected = AudioSinkError.writeFailed(
            device: "amplifier", reason: "GPIO line \"GPIO25\" failed: its GPIO chip is gone")
        #expect(throws: expected) { try announce() }
        #expect(!device.isOpen)
        #expect(device.announcements.isEmpty)
        panel.fail(with: nil)
        try announce()
        #expect(panel.isAmplifierOn)
        sink.close()
    }

    @Test("A player switches it on for announcements only, and off when the box ends")
    func player() async throws {
        let amplifier = Amplifier(lead: .milliseconds(50), lag: .seconds(86_400)) {
            [panel] isOn throws(PanelError) in try panel.setAmplifier(isOn)
        }
        let sink = AmplifiedSink(device, amplifier: amplifier)
        let voice = try Voice.shipped()
        let player = Player(sink: sink, voices: Voices(first: voice), volume: Volume(50))
        try await player.prepare()
        #expect(panel.amplifierChanges == [])
        let script = try voice.writer.exactScript(for: .prompt(.volumeMaximum))
        for _ in 1...2 { try await player.play(script) }
        #expect(panel.amplifierChanges == [true])
        await player.close()
        #expect(panel.amplifierChanges == [true, false])
    }

    @Test("The sink keeps the contract", arguments: AudioSinkContract.allCases)
    func contract(rule: AudioSinkContract) {
        let amplifier = Amplifier(lead: .milliseconds(50), lag: .zero) { _ in }
        let device = RecordingSink()
        #expect(rule.problem(with: AmplifiedSink(device, amplifier: amplifier)) == nil)
        #expect(device.misuses == [])
    }
}
