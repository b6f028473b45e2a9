import SoundboxVoice
import TestSupport
import Testing
import VoiceTestSupport

@testable import SoundboxWorkshop

@Suite("Speakers of one language say the same words")
struct SpeakerCheckTests {
    private let folder: TestSupport.TemporaryFolder

    init() throws {
        folder = try TestSupport.TemporaryFolder()
        try SpeakerFolder.write("zh-CN", speaker: "xiaoxiao", in: folder.path)
    }

    private func problems(_ speaker: String? = "yunxi", _ change: (String) -> String) throws -> [String] {
        try SpeakerFolder.write("zh-CN-yunxi", speaker: speaker, in: folder.path, change: change)
        return SpeakerCheck(VoiceFolder(path: folder.path)).problems()
    }

    @Test("How they are recorded is their own; comments and order do not matter")
    func same() throws {
        let found = try problems { text in
            text.replacing(/(?m)^synthesis:.*$/, with: "synthesis: {program: espeak-ng, voice: x, speed: 99, pitch: 1}")
                .replacing(/sample_rate: *[0-9]+/, with: "sample_rate: 44100").replacing(", say: ", with: ", say: x")
                + "# end\n"
        }
        #expect(found == [])
    }

    @Test("What differs is told with its line, its key and what is expected")
    func different() throws {
        let found = try problems { text in
            text.replacing("\nname: ", with: "\nname: x").replacing("  CNY: ", with: "  CNZ: ")
                .replacing("一百", with: "一佰")
        }
        let path = "\(folder.path)/zh-CN-yunxi/voice.yaml"
        #expect(found.allSatisfy { $0.hasPrefix("\(path):") && $0.contains("xpected") })
        #expect(found.contains { $0.contains(": name: found \"x") && $0.contains(" as in zh-CN") })
        #expect(found.contains { $0.contains("units: \"CNY\" is missing; expected it as in zh-CN") })
        #expect(found.contains { $0.contains("units.CNZ: zh-CN does not have this; expected both or neither") })
        #expect(found.contains { $0.contains("recordings: ") && $0.contains(" phrases of zh-CN are missing") })
        #expect(found.contains { $0.contains("zh-CN has no \"一佰\"") })
    }

    @Test("Of number rules the first line that differs is told")
    func rules() throws {
        let found = try problems { $0.replacing("<<千[", with: "<<仟[") }
        #expect(found.count == 1)
        #expect(found.first?.contains("numbers: found \"") == true && found.first?.contains("仟") == true)
        #expect((found.first?.count ?? 0) < 400)
    }

    @Test("Whoever is not alone has a name, and one of their own")
    func names() throws {
        #expect(try problems(nil) { $0 }.contains { $0.contains("speaker: this key is missing; expected {id: …") })
        #expect(
            try problems("xiaoxiao") { $0 }.contains { $0.contains("\"xiaoxiao\" is zh-CN, too; expected another id") })
    }

    @Test("One that cannot be read is told, and the voices of other languages are none of its business")
    func others() throws {
        try folder.write("locale: zh-CN\nspeaker: {id: yunxi, name: x}\n", to: "zh-CN/x.txt")
        try SpeakerFolder.write("zh-CN-yunxi", speaker: "yunxi", in: folder.path) { _ in
            "locale: zh-CN\nspeaker: {id: yunxi, name: x}\nrecordings: x\n"
        }
        let check = SpeakerCheck(VoiceFolder(path: folder.path))
        #expect(check.problems().contains { $0.contains("recordings: expected a list") })
        #expect(check.problems(of: ["en-US"]) == [])
        #expect(check.problems(of: ["zh-CN"]) == check.problems())
    }
}
