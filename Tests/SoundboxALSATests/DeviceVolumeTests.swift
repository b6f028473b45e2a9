import Glibc
import SoundboxCore
import SoundboxTesting
import Synchronization
import Testing

@testable import SoundboxALSA

@Suite("The volume on a card's mixer")
struct DeviceVolumeTests {
    /// A sink on a scripted card with a scripted mixer, and what it complained about.
    private final class MixerBench: Sendable {
        let pcm = ScriptedPCM()
        let mixer: ScriptedMixer
        let sink: ALSASink
        private let log: Log

        private final class Log: Sendable { let lines = Mutex<[String]>([]) }

        init(_ mixer: ScriptedMixer = ScriptedMixer(), element: String = "Speaker") {
            let log = Log()
            self.log = log
            self.mixer = mixer
            sink = ALSASink(
                device: "card", driver: pcm, mixer: MixerElement(card: "hw:CARD=Device", name: element),
                mixerDriver: mixer, mixerDidFail: { text in log.lines.withLock { $0.append(text) } })
        }

        var complaints: [String] { log.lines.withLock { $0 } }

        func announce(at level: Int) throws -> Bool {
            let format = try sink.open()
            let isTaken = sink.setVolume(level)
            try sink.write([UInt8](repeating: 1, count: format.bytesPerPeriod))
            try sink.drain()
            return isTaken
        }
    }

    @Test(
        "The device is as loud as the volume says",
        arguments: [
            MixerScale.steps(0...255), .steps(-20...0), .decibels(-10_239...400, isSilentAtBottom: true),
            .decibels(-2_000...0, isSilentAtBottom: false),
        ])
    func contract(scale: MixerScale) async throws {
        let bench = MixerBench(ScriptedMixer(scale: scale))
        let contract = DeviceVolumeContract { level in
            let isTaken = try bench.announce(at: level)
            #expect(isTaken)
            return DeviceVolumeContract.Reading(
                loudness: bench.mixer.seen.value - scale.bottom, isOn: bench.mixer.seen.isOn)
        } silence: {
            bench.mixer.change {
                $0.value = scale.bottom
                $0.isOn = false
            }
        }
        #expect(try await contract.violations() == [])
        #expect(bench.complaints == [])
    }

    @Test(
        "Decibels follow the curve of the samples down to where the element ends",
        arguments: [
            (MixerScale.decibels(-9_999_999...0, isSilentAtBottom: true), 100, 0),
            (.decibels(-9_999_999...0, isSilentAtBottom: true), 50, -1549),
            (.decibels(-9_999_999...0, isSilentAtBottom: true), 1, -3915),
            (.decibels(-9_999_999...600, isSilentAtBottom: true), 50, -949),
            // The lower half of a short scale is not lost.
            (.decibels(-3_000...0, isSilentAtBottom: false), 1, -2936),
            (.decibels(-3_000...0, isSilentAtBottom: false), 50, -1162),
            (.decibels(-3_000...0, isSilentAtBottom: false), 100, 0),
            (.decibels(-20...0, isSilentAtBottom: true), 1, -19),
            (.steps(0...65_536), 50, 32_768), (.steps(0...31), 1, 1), (.steps(-40...0), 100, 0),
        ] as [(MixerScale, Int, Int)])
    func curve(scale: MixerScale, level: Int, value: Int) {
        #expect(scale.value(at: level) == value)
    }

    @Test("Every level is as loud as the one before it, or louder")
    func rises() {
        for scale in [MixerScale.steps(0...7), .steps(0...255), .decibels(-4_500...0, isSilentAtBottom: false)] {
            let values = (1...100).map(scale.value(at:))
            #expect(values == values.sorted())
            #expect(values.allSatisfy { $0 > scale.bottom })
        }
    }

    @Test("A sink without a mixer leaves the volume to the caller, and so does one that is closed")
    func none() throws {
        #expect(Bench().sink.setVolume(50) == false)
        let bench = MixerBench()
        #expect(bench.sink.setVolume(50) == false)
        #expect(try bench.announce(at: 50))
        bench.sink.close()
        #expect(bench.sink.setVolume(50) == false)
        #expect(!bench.mixer.seen.isOpen)
    }

    @Test("A missing element is told once, with those that the card has, and the sound goes on")
    func missing() throws {
        let bench = MixerBench(element: "Sepaker")
        for _ in 1...3 {
            #expect(try bench.announce(at: 50) == false)
            bench.sink.close()
        }
        #expect(
            bench.complaints == [
                "mixer element \"Sepaker\" of \"hw:CARD=Device\": there is no such element; the card has \"Speaker\""
            ])
        #expect(bench.pcm.seen.heard.count == 3 * 3840)
        #expect(bench.mixer.seen.openings == 3)
    }

    @Test("An element without a volume is told")
    func noVolume() throws {
        let bench = MixerBench(ScriptedMixer(scale: nil))
        #expect(try bench.announce(at: 50) == false)
        #expect(bench.complaints.first?.hasSuffix("it has no volume") == true)
    }

    @Test(
        "A mixer that fails leaves the volume to the caller, and is used again when the device opens anew",
        arguments: ScriptedMixer.Call.allCases, [ENODEV, EIO, ENOENT, EBUSY, EINTR])
    func fails(call: ScriptedMixer.Call, code: Int32) throws {
        let bench = MixerBench()
        bench.mixer.change { $0.failures = [call: code] }
        #expect(try bench.announce(at: 50) == false)
        bench.mixer.change { $0.failures = [:] }
        // Not in between: an announcement is not to be held up by a mixer that may be slow to fail.
        #expect(try bench.announce(at: 50) == false)
        #expect(bench.complaints.count == 1)
        bench.sink.close()
        #expect(try bench.announce(at: 100))
        #expect(bench.mixer.seen.value == 255)
        #expect(bench.pcm.seen.heard.count == 3 * 3840)
        // The same trouble anew is news again.
        bench.mixer.change { $0.failures = [call: code] }
        bench.sink.close()
        #expect(try bench.announce(at: 50) == false)
        #expect(bench.complaints.count == 2)
    }

    @Test("alsa-lib says of a card that is not there, and of one without a mixer, that it has none")
    func realLibrary() throws {
        let log = Mutex<[String]>([])
        let sink = ALSASink(
            device: "null", mixer: MixerElement(card: "hw:CARD=Nowhere", name: "Speaker"),
            mixerDidFail: { text in log.withLock { $0.append(text) } })
        _ = try sink.open()
        #expect(sink.setVolume(50) == false)
        #expect(log.withLock { $0.count } == 1)
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

extension MixerScale {
    fileprivate var bottom: Int {
        switch self {
        case .decibels(let range, _), .steps(let range): range.lowerBound
        }
    }
}
