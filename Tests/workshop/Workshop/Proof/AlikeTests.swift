import SoundboxVoice
import Testing
import VoiceTestSupport

@testable import SoundboxWorkshop

@Suite("A voice whose numbers sound alike is no voice in order")
struct AlikeTests {
    private let folder: SoundFolder

    init() throws { folder = try SoundFolder() }

    /// The first voice with a change of its text.
    private func alike(_ change: (String) -> String = { $0 }) throws -> [String] {
        try folder.write(change(VoiceSkeleton.firstVoice("en")).utf8, to: "voice.yaml")
        return try VoiceCheck(Voice(directory: folder.path)).alike()
    }

    @Test("A voice that tells every number and amount from every other has nothing to be told")
    func distinct() throws {
        #expect(try alike() == [])
    }

    @Test(
        "What sounds alike is told with its line, its key and both numbers",
        arguments: [
            (
                "  10: << >>;\n", "  10: << ty;\n  100: << >>;\n",
                "numbers: rule \"10: << ty\": 11 and 10 are both read \"one ty\"; expected \">>\", or a rule for 11"
            ),
            // A set that only codes are read by.
            (
                "  10: << >>;\n",
                "  10: << >>;\n  %m:\n  0: =%digits=;\n  2: one;\n  3: =%digits=;\nnumbering: \"%m\"\n",
                "numbers: rule \"2: one\": 2 and 1 are both read \"one\""
            ),
            ("  CNY: yuan\n", "  CNY: {other: yuan, subunits: [{digits: 2, other: yuan}]}\n", "units.CNY: "),
            ("  CNY: yuan\n", "  CNY: five\n", "with \"five\" of CNY is read like the number"),
        ])
    func found(old: String, new: String, problem: String) throws {
        let problems = try alike { $0.replacing(old, with: new) }
        #expect(problems.count == 1 && problems[0].contains(problem), "\(problems)")
        #expect(problems.first?.contains(#/voice\.yaml:\d+: /#) == true, "\(problems)")
    }
}
