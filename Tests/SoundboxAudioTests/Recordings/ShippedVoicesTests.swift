import SoundboxYAML
import Testing

@testable import SoundboxAudio

@Suite("The voices that ship with the box", .serialized)
struct ShippedVoicesTests {
    static let locales = ["zh-CN"]

    private func yaml(_ locale: String) throws -> YAMLMapping {
        try YAMLValue(readingFile: "\(shippedSounds)/\(locale)/voice.yaml").mapping()
    }

    @Test("have no problem in any recording", arguments: locales)
    func check(locale: String) throws {
        #expect(try VoiceWorkshop(directory: "\(shippedSounds)/\(locale)").check() == [])
    }

    @Test("have recordings for every word of their units, channels and sentences", arguments: locales)
    func literals(locale: String) throws {
        let voice = try yaml(locale)
        let texts = Set(try RecordingList(reading: voice.value).entries.map(\.text))
        var literals: [String] = []
        for key in ["units", "channels", "sentences"] {
            for (_, value) in try voice.required(key).mapping().entries {
                // Without the placeholders, and in pieces where a rest interrupts.
                let sentence = try value.string().replacing(/\{[^}]*\}/, with: ",")
                literals += sentence.split(whereSeparator: { $0.isPunctuation || $0.isWhitespace }).map(String.init)
            }
        }
        #expect(literals.count > 40)
        #expect(literals.filter { !isCovered($0, by: texts) } == [])
    }

    @Test("can say that money came when they cannot say how much", arguments: [("zh-CN", ["一笔", "退款一笔", "到账一笔"])])
    func fallbacks(locale: String, expected: [String]) throws {
        let texts = try RecordingList(reading: yaml(locale).value).entries.map(\.text)
        #expect(Set(texts).isSuperset(of: expected))
    }

    @Test("fit into the memory of a small board: under 32 MB decoded to float", arguments: locales)
    func memory(locale: String) throws {
        let directory = "\(shippedSounds)/\(locale)"
        let bytes = try RecordingList(reading: yaml(locale).value).files.reduce(0) { sum, file in
            sum + (try AudioFile(reading: "\(directory)/\(file).flac").recording.samples.count)
                * MemoryLayout<Float>.size
        }
        #expect((1_000_000..<32_000_000).contains(bytes))
    }

    /// Whether `text` is a row of `phrases`.
    private func isCovered(_ text: String, by phrases: Set<String>) -> Bool {
        let characters = Array(text)
        var reachable = [true] + characters.map { _ in false }
        for end in 1...characters.count {
            reachable[end] = (0..<end).contains { reachable[$0] && phrases.contains(String(characters[$0..<end])) }
        }
        return reachable[characters.count]
    }
}
