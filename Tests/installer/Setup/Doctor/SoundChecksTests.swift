import SoundboxALSA
import SoundboxAudio
import SoundboxCore
import Testing

@testable import SoundboxSetup

@Suite("What the doctor says about the sound")
struct SoundChecksTests {
    private static let card = ALSACard(name: "hw:CARD=Device", description: "USB Audio Device")
    private static let agreed = DeviceStatus(
        format: PCMFormat(sampleRate: 44_100, channelCount: 2, encoding: .int32, framesPerPeriod: 882),
        bufferFrames: 4410, xrunCount: 3)
    private static let online = BoxStatus(isOnline: true, version: "1", voice: "zh-CN")

    @Test("The running box tells what was agreed on with the device, beside the cards")
    func runningDevice() {
        var status = Self.online
        status.sound = Self.agreed
        let finding = SoundChecks.runningDevice("shop", status, [Self.card])
        #expect(finding.level == .green)
        #expect(
            finding.detail
                == "\"shop\" plays: 44100 Hz, 2 channels, int32, periods of 882 frames (20.0 ms) of 4410 frames (100.0 ms)"
                + " of buffer; cards: hw:CARD=Device (USB Audio Device)")
    }

    @Test("A device that the running box has not open is red, and the advice names the cards")
    func deviceIsAway() {
        let away = SoundChecks.runningDevice("shop", Self.online, [Self.card])
        #expect(away.level == .red && away.advice?.contains("hw:CARD=Device") == true)
        let none = SoundChecks.runningDevice("shop", Self.online, [])
        #expect(none.detail.contains("there is no sound card") && none.advice?.contains("plugged in") == true)
    }

    @Test("Underruns are told by the running box, and are worth a look")
    func underruns() {
        #expect(SoundChecks.underruns(nil) == nil)
        var status = Self.online
        #expect(SoundChecks.underruns(status) == nil)
        status.xruns = 0
        #expect(SoundChecks.underruns(status)?.level == .green)
        status.xruns = 7
        let some = SoundChecks.underruns(status)
        #expect(some?.level == .amber && some?.detail.contains("7 times") == true && some?.advice != nil)
    }

    @Test("Switches that are off and volumes at 0 are named with the command that turns them on; inputs are left alone")
    func controls() {
        let findings = SoundChecks.controls([
            (
                card: "hw:CARD=Device",
                controls: [
                    MixerControl(name: "Speaker", isOn: false, percent: 80),
                    MixerControl(name: "PCM", index: 1, isOn: true, percent: 0),
                    MixerControl(name: "Mic", isOn: false, percent: 0), MixerControl(name: "Headphone", percent: 50),
                ]
            )
        ])
        #expect(findings.map(\.level) == [.amber, .amber])
        #expect(findings[0].detail == "\"Speaker\" of hw:CARD=Device is switched off")
        #expect(findings[0].advice?.contains("amixer -D hw:CARD=Device set 'Speaker',0 unmute") == true)
        #expect(findings[1].detail == "\"PCM\",1 of hw:CARD=Device is turned down to 0")
        #expect(findings[1].advice?.contains("set 'PCM',1 80%") == true)
        let fine = SoundChecks.controls([
            (card: "hw:CARD=Device", controls: [MixerControl(name: "Speaker", isOn: true)])
        ])
        #expect(fine.map(\.level) == [.green])
        #expect(SoundChecks.controls([]).isEmpty)
    }
}
