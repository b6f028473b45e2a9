import Foundation
import Testing

@Suite("The trails in CONTRIBUTING.md, and the way of a payment in architecture.md")
struct TrailTests {
    /// One row of a table.
    struct Trail: Sendable, CustomTestStringConvertible {
        let text: String
        let stops: [Stop]
        let testDescription: String

        /// How many Swift files the change had when somebody made it for a trial.
        var walked: Int? { text.firstMatch(of: /\(walked[^:)]*: (\d+) Swift files?/).flatMap { Int($0.1) } }
    }

    /// A part of a trail, between two arrows.
    struct Stop: Sendable {
        /// From a folder of the project or of `Sources`; `*` stands for any part of a name.
        var paths: [String] = []
        var suites: [String] = []
        /// What else stands between backticks: what the files hold.
        var words: [String] = []

        /// - Parameter folder: the folder of the path that was named last.
        init(_ text: String, from folder: inout String) {
            for name in text.matches(of: /`([^`]+)`/).map({ String($0.1) }) {
                if name.hasSuffix("Tests"), !name.contains("/") {
                    suites.append(name)
                } else if name.contains("/"), !name.contains(" ") {
                    folder = String(name[...name.lastIndex(of: "/")!])
                    paths.append(name)
                } else if name.wholeMatch(of: /[\w+*-]+\.(?:swift|md|sh|yaml|js|json|txt|html|py|patch)/) != nil,
                    !name.hasPrefix("…")
                {
                    paths.append(folder + name)
                } else {
                    words.append(name)
                }
            }
        }
    }

    static let trails = table("CONTRIBUTING.md", "| to add …")
    /// Each step of a payment.
    static let steps = table("docs/architecture.md", "| step | files |")

    private static func table(_ file: String, _ head: String) -> [Trail] {
        let text = (try? String(contentsOfFile: "\(SourceTree.project)/\(file)", encoding: .utf8)) ?? ""
        let rows = text.components(separatedBy: "\n").drop { !$0.hasPrefix(head) }.dropFirst(2)
        return rows.prefix { $0.hasPrefix("| ") }.map { row in
            var folder = ""
            return Trail(
                text: row, stops: row.components(separatedBy: " → ").map { Stop($0, from: &folder) },
                testDescription: String(row.dropFirst(2).prefix { $0 != "|" }))
        }
    }

    @Test("There are trails, and steps of a payment") func some() {
        #expect(!Self.trails.isEmpty && !Self.steps.isEmpty)
    }

    @Test("Every file, folder and suite that a trail names exists", arguments: trails + steps)
    func exist(trail: Trail) {
        for stop in trail.stops {
            for path in stop.paths { #expect(SourceTree.exists(path), "\(path): nothing is there") }
            for suite in stop.suites {
                #expect(DocumentTests.suites.contains(suite), "\(suite): no suite has this name")
            }
        }
        #expect(trail.stops.flatMap { $0.paths + $0.suites }.count > 1)
    }

    @Test("A name between the files of a stop is in one of them", arguments: trails)
    func hold(trail: Trail) throws {
        for stop in trail.stops {
            let texts = stop.paths.flatMap(SourceTree.texts)
            for word in stop.words where !Self.isCommand(word) && !word.hasPrefix("…") {
                // `states` for `CallbackEvent.states`.
                let name = word.wholeMatch(of: /\w+\.(\w+)/).map { String($0.1) } ?? word
                #expect(texts.contains { $0.contains(name) }, "\(word): not in \(stop.paths)")
            }
        }
    }

    /// Other tests check commands.
    private static func isCommand(_ word: String) -> Bool {
        ["make ", "swift ", "soundbox"].contains { word.hasPrefix($0) }
    }

    @Test("A trail that was walked names, with its suites, as many Swift files as had to be changed", arguments: trails)
    func walked(trail: Trail) {
        guard let count = trail.walked else { return }
        let files = Set(trail.stops.flatMap { $0.paths.filter { $0.hasSuffix(".swift") } + $0.suites })
        #expect(files.count >= count)
    }

    @Test(
        "The commonest wishes have a trail that was walked",
        arguments: [
            "a configuration key of a feature", "a field of a notice", "a payment channel", "a sentence", "a prompt",
            "a button action", "a field of the status", "a metric",
        ])
    func commonest(wish: String) throws {
        let trail = try #require(Self.trails.first { $0.testDescription.hasPrefix("\(wish) ") })
        #expect(trail.text.contains("(walked"))
    }
}
