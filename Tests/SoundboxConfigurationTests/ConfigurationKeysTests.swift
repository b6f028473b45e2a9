import SoundboxCore
import SoundboxSystem
import Testing

@testable import SoundboxConfiguration

@Suite("The keys of the configuration")
struct ConfigurationKeysTests {
    /// Those that the program asks for, dotted. A file of nothing but ids and empty mappings has it ask for all of them.
    private static var known: Set<String> {
        let reading = YAMLReading(file: "soundbox.yaml", isConfidential: true, toleratesMistakes: true)
        for _ in 1...2 {
            let sections = (reading.asked[[]] ?? []).map { key in
                (key: YAMLNode(.scalar(key)), value: YAMLNode(key.hasSuffix("_id") ? .scalar("x") : .mapping([])))
            }
            _ = try? Configuration(reading: YAMLValue(YAMLNode(.mapping(sections)), reading))
        }
        let sections = Set(reading.asked.keys.compactMap(\.first))
        let inner = reading.asked.filter { $0.key.count == 1 }.flatMap { mapping in
            mapping.value.map { "\(mapping.key[0]).\($0)" }
        }
        return Set(inner + (reading.asked[[]] ?? []).filter { !sections.contains($0) })
    }

    @Test("docs/configuration.md has every key that the program knows, and no other")
    func page() throws {
        let file = #filePath.replacing(/\/Tests\/[^\/]*\/[^\/]*$/, with: "/docs/configuration.md")
        let rows = try SmallFile.read(file).split(separator: "\n").drop { !$0.hasPrefix("| key | default | meaning |") }
            .dropFirst(2)
            .prefix { $0.hasPrefix("|") }
        let keys = rows.flatMap { row in
            row.dropFirst().prefix { $0 != "|" }.matches(of: /`([a-z0-9_.]+)`/).map { String($0.1) }
        }
        #expect(Set(keys).count == keys.count)
        #expect(Set(keys).subtracting(Self.known) == [])
        #expect(Self.known.subtracting(keys) == [])
        #expect(keys.count > 60)
    }
}
