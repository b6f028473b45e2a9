import Glibc
import SoundboxCore
import Synchronization
import Testing

@testable import SoundboxALSA

@Suite("The level of a card")
struct CardLoudnessTests {
    /// A sink on a scripted card with a scripted mixer, and what was told of it.
    private final class MixerBench: Sendable {
        let pcm = ScriptedPCM()
        let mixer: ScriptedMixer
        let sink: ALSASink
        private let log: Log

        private final class Log: Sendable { let lines = Mutex<[String]>([]) }

        init(_ controls: [MixerControl], level: CardLevel = .raise) {
            let log = Log()
            self.log = log
            mixer = ScriptedMixer(controls)
            sink = ALSASink(
                device: "card", driver: pcm, level: level, mixer: mixer,
                levelDidChange: { text in log.lines.withLock { $0.append(text) } })
        }

        var told: [String] { log.lines.withLock { $0 } }

        func announce() throws {
            let format = try sink.open()
            try sink.write([UInt8](repeating: 1, count: format.bytesPerPeriod))
            try sink.drain()
        }
    }

    @Test(
        "What is muted or next to silent on the way to the loudspeaker is made loud, and told",
        arguments: [
            // A USB card as it comes.
            (
                [MixerControl(name: "PCM", isOn: false, percent: 0, decibels: -12_700)],
                [MixerControl(name: "PCM", isOn: true, percent: 100, decibels: 0)],
                [
                    "\"PCM\" of hw:CARD=Device was switched off: switched on",
                    "\"PCM\" of hw:CARD=Device was turned down to the bottom: set to 0 dB",
                ]
            ),
            (
                [MixerControl(name: "Speaker", index: 1, percent: 30, decibels: -2_001)],
                [MixerControl(name: "Speaker", index: 1, percent: 100, decibels: 0)],
                ["\"Speaker\",1 of hw:CARD=Device was at -20 dB: set to 0 dB"]
            ),
            // Some USB cards are silent there, whatever their scale says.
            (
                [MixerControl(name: "PCM", isOn: true, percent: 0, decibels: -1_000)],
                [MixerControl(name: "PCM", isOn: true, percent: 100, decibels: 0)],
                ["\"PCM\" of hw:CARD=Device was turned down to the bottom: set to 0 dB"]
            ),
            (
                [MixerControl(name: "Master", isOn: true, percent: 9), MixerControl(name: "Headphone", isOn: false)],
                [MixerControl(name: "Master", isOn: true, percent: 80), MixerControl(name: "Headphone", isOn: true)],
                [
                    "\"Master\" of hw:CARD=Device was at 9 %: set to 80 %",
                    "\"Headphone\" of hw:CARD=Device was switched off: switched on",
                ]
            ),
            (
                [MixerControl(name: "Line Out", percent: 0), MixerControl(name: "Digital", percent: 0)],
                [MixerControl(name: "Line Out", percent: 80), MixerControl(name: "Digital", percent: 80)],
                [
                    "\"Line Out\" of hw:CARD=Device was at 0 %: set to 80 %",
                    "\"Digital\" of hw:CARD=Device was at 0 %: set to 80 %",
                ]
            ),
        ] as [([MixerControl], [MixerControl], [String])])
    func raised(found: [MixerControl], left: [MixerControl], told: [String]) throws {
        let bench = MixerBench(found)
        try bench.announce()
        #expect(bench.mixer.seen.controls == left)
        #expect(bench.told == told)
        #expect(!bench.mixer.seen.isOpen)
    }

    @Test(
        "What can be heard, and what is no way to a loudspeaker, is left as it is",
        arguments: [
            MixerControl(name: "PCM", isOn: true, percent: 40, decibels: -2_000),
            MixerControl(name: "Digital", percent: 0, decibels: 0),
            MixerControl(name: "PCM", percent: 10),
            MixerControl(name: "Mic", isOn: false, percent: 0, decibels: -4_000),
            MixerControl(name: "IEC958", isOn: false), MixerControl(name: "Speaker Boost", percent: 0),
            MixerControl(name: "Line", isOn: false, percent: 0),
        ])
    func left(control: MixerControl) throws {
        let bench = MixerBench([control])
        try bench.announce()
        #expect(bench.mixer.seen.controls == [control])
        #expect(bench.told == [])
    }

    private static let muted = MixerControl(name: "PCM", isOn: false, percent: 0)

    @Test("audio.card_level: keep leaves the controls alone, and nobody has a sound server's changed")
    func kept() throws {
        let kept = MixerBench([Self.muted], level: .keep)
        try kept.announce()
        let server = MixerBench([Self.muted])
        server.pcm.change { $0.id = nil }
        try server.announce()
        for bench in [kept, server] {
            #expect(bench.mixer.seen.openings == [])
            #expect(bench.told == [])
        }
    }

    @Test("A card is looked at whenever it opens, as after it was pulled out, and not while it is open")
    func openings() throws {
        let bench = MixerBench([Self.muted])
        try bench.announce()
        bench.mixer.change { $0.controls = [Self.muted] }
        try bench.announce()
        #expect(bench.mixer.seen.controls == [Self.muted])
        bench.sink.close()
        try bench.announce()
        #expect(bench.mixer.seen.controls == [MixerControl(name: "PCM", isOn: true, percent: 80)])
        #expect(bench.mixer.seen.openings == ["hw:CARD=Device", "hw:CARD=Device"])
    }

    @Test(
        "A mixer that fails is told, and the sound goes on", arguments: ScriptedMixer.Call.allCases,
        [ENODEV, EIO, EACCES, EBUSY])
    func fails(call: ScriptedMixer.Call, code: Int32) throws {
        let bench = MixerBench([MixerControl(name: "PCM", isOn: false)])
        bench.mixer.change { $0.failures = [call: code] }
        try bench.announce()
        let reason = String(cString: strerror(code))
        #expect(
            bench.told == [
                call == .open
                    ? "the controls of hw:CARD=Device cannot be read: \(reason)"
                    : "\"PCM\" of hw:CARD=Device was switched off, and cannot be switched on: \(reason)"
            ])
        // A period, filled up to one of the card's.
        #expect(bench.pcm.seen.heard.count == 3840)
    }

    @Test("alsa-lib has no controls of a card that is not there")
    func realLibrary() {
        #expect(ALSACards.mixerControls(of: "hw:CARD=Nowhere") == nil)
    }

    @Test(
        "What feeds inputs through is not on the way to the loudspeaker",
        arguments: [
            ("Speaker", true), ("Master", true), ("PCM", true), ("Headphone", true), ("Digital", true),
            ("Line Out", true),
            ("Mic", false), ("Mic Boost", false), ("Line", false), ("Line In", false), ("CD", false), ("Beep", false),
        ])
    func onTheWay(name: String, expected: Bool) {
        #expect(MixerControl(name: name).isOnTheWay == expected)
    }
}
