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

    /// A row of the table in docs/configuration.md.
    private struct Row {
        var keys: [String]
        var usual: String
        var meaning: String
    }

    private static func rows() throws -> [Row] {
        let file = #filePath.replacing(/\/Tests\/.*$/, with: "/docs/configuration.md")
        return try SmallFile.read(file).split(separator: "\n").drop { !$0.hasPrefix("| key | default | meaning |") }
            .dropFirst(2).prefix { $0.hasPrefix("|") }
            .map { line in
                let cells = line.split(separator: "|", maxSplits: 3).map {
                    $0.trimmingPrefix(" ").split(separator: " ").joined(separator: " ")
                }
                return Row(
                    keys: cells[0].matches(of: /`([a-z0-9_.]+)`/).map { String($0.1) }, usual: cells[1],
                    meaning: cells[2])
            }
    }

    /// A configuration with one key set, and what that key's section needs besides.
    private static func configuration(_ key: String, _ value: String?) throws -> Configuration {
        var sections = ["broker": ["url: \"mqtt://h\""], "page": ["enabled: true"], "clips": ["hosts: [h]"]]
        var text = "merchant_id: M1\ndevice_id: box\n"
        if let value {
            let parts = key.split(separator: ".").map(String.init)
            if parts.count == 1 {
                text += "\(key): \(value)\n"
            } else {
                sections[parts[0], default: []].append("\(parts[1]): \(value)")
            }
        }
        for (name, members) in sections.sorted(by: { $0.key < $1.key }) {
            text += "\(name): {\(members.joined(separator: ", "))}\n"
        }
        return try Configuration(parsing: text, file: "soundbox.yaml")
    }

    /// What each part of the configuration says then. The topics follow from others, and print in no order.
    private static func parts(_ key: String, _ value: String?) throws -> [String: String] {
        let parts = Mirror(reflecting: try configuration(key, value)).children.filter { $0.label != "topics" }
        return Dictionary(parts.map { ($0.label ?? "", "\($0.value)") }) { first, _ in first }
    }

    /// `Keys.txt` is changed by hand, with the change that it is about: a line that moves there moves for the installer.
    @Test("Keys, their defaults and what is said to values out of range are those of Keys.txt")
    func inventory() throws {
        let found = try Self.rows().flatMap { row in
            row.keys.map { key in
                let problems = ["-1", "999999h", "9999999"].map { value in
                    do { _ = try Self.configuration(key, value) } catch let error as YAMLError {
                        return error.problem
                    } catch { return "\(error)" }
                    return "taken"
                }
                return "\(key) | \(row.usual) | \(problems.joined(separator: " | "))"
            }
        }
        let file = #filePath.replacing("ConfigurationKeysTests.swift", with: "Keys.txt")
        let written = try SmallFile.read(file).split(separator: "\n").map(String.init)
        #expect(found == written, "\(found.joined(separator: "\n"))")
    }

    @Test("A default that docs/configuration.md gives changes nothing when it is written")
    func defaults() throws {
        let unwritten = try Self.parts("", nil)
        var count = 0
        for row in try Self.rows() {
            guard let usual = row.usual.wholeMatch(of: /`(.+)`|([0-9.]+)/)?.output, let key = row.keys.first,
                !key.hasPrefix("authenticity."), key != "broker.topics", key != "broker.client_id"
            else { continue }
            let value = String(usual.1 ?? usual.2 ?? "")
            #expect(try Self.parts(key, value) == unwritten, "\(key)")
            count += 1
        }
        #expect(count > 25)
    }

    @Test("A range that docs/configuration.md gives is the program's")
    func ranges() throws {
        var count = 0
        for row in try Self.rows() {
            let range = /([0-9.,]+) ?(ms|s|min|h|days?|d|KB|MB)?(?: – |–| to )([0-9.,]+) ?(ms|s|min|h|days?|d|KB|MB)?\b/
            guard let found = row.meaning.prefixMatch(of: range)?.output, let key = row.keys.first else { continue }
            let unit = found.2 ?? found.4
            let (low, high) = (Bound(found.1, unit), Bound(found.3, found.4 ?? found.2))
            #expect(throws: Never.self, "\(key)") { try Self.configuration(key, low.text(plus: 0)) }
            #expect(throws: Never.self, "\(key)") { try Self.configuration(key, high.text(plus: 0)) }
            #expect(throws: YAMLError.self, "\(key)") { try Self.configuration(key, high.text(plus: 1)) }
            if low.value > 0 {
                #expect(throws: YAMLError.self, "\(key)") { try Self.configuration(key, low.text(plus: -1)) }
            }
            count += 1
        }
        #expect(count >= 19)
    }

    /// One end of a range, in seconds or bytes where it has a unit.
    private struct Bound {
        let value: Double
        private let suffix: String
        private let step: Double

        init(_ number: Substring, _ unit: Substring?) {
            let factors: [Substring: Double] = [
                "s": 1, "min": 60, "h": 3600, "d": 86_400, "day": 86_400, "days": 86_400, "KB": 1024, "MB": 1_048_576,
            ]
            value = (Double(number.replacing(",", with: "")) ?? .nan) * (unit.flatMap { factors[$0] } ?? 1)
            suffix = unit.map { $0.hasSuffix("B") ? "" : "s" } ?? ""
            step = number.contains(".") ? 0.01 : 1
        }

        func text(plus steps: Double) -> String {
            let value = value + steps * step
            return (value == value.rounded() ? "\(Int(value))" : "\(value)") + suffix
        }
    }

    @Test("docs/configuration.md has every key that the program knows, and no other")
    func page() throws {
        let keys = try Self.rows().flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
        #expect(Set(keys).subtracting(Self.known) == [])
        #expect(Self.known.subtracting(keys) == [])
        #expect(keys.count > 60)
    }
}
