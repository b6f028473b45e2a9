import Foundation
import Testing

@Suite("The trails in CONTRIBUTING.md, and the way of a payment in architecture.md")
struct TrailTests {
    struct Trail: Sendable, CustomTestStringConvertible {
        /// What stands between backticks, in order.
        let names: [String]
        let testDescription: String
    }

    static let trails = table("CONTRIBUTING.md", "| to add …")
    /// Each step of a payment.
    static let steps = table("docs/architecture.md", "| step | files |")

    private static func table(_ file: String, _ head: String) -> [Trail] {
        let text = (try? String(contentsOfFile: "\(SourceTree.project)/\(file)", encoding: .utf8)) ?? ""
        let rows = text.components(separatedBy: "\n").drop { !$0.hasPrefix(head) }.dropFirst(2)
        return rows.prefix { $0.hasPrefix("| ") }.map { row in
            Trail(
                names: row.matches(of: /`([^`]+)`/).map { String($0.1) },
                testDescription: String(row.dropFirst(2).prefix { $0 != "|" }))
        }
    }

    @Test("Every file, folder and suite that a trail names exists", arguments: trails + steps)
    func exist(trail: Trail) {
        var folder: String?
        var stops = 0
        for name in trail.names {
            if name.hasSuffix("Tests"), !name.contains("/") {
                #expect(DocumentTests.suites.contains(name), "\(name): no suite has this name")
                stops += 1
            } else if let slash = name.lastIndex(of: "/") {
                folder = String(name[...slash])
                #expect(SourceTree.exists(name), "\(name): nothing is there")
                stops += 1
            } else if name.wholeMatch(of: /[\w+*-]+\.(?:swift|md|sh|yaml|js)/) != nil {
                let path = (folder ?? "") + name
                #expect(folder != nil && SourceTree.exists(path), "\(path): nothing is there")
                stops += 1
            }
        }
        #expect(stops > 1)
    }

    @Test("There are trails, and a payment passes fewer than sixty files")
    func some() {
        #expect(Self.trails.count > 15)
        #expect((40..<60).contains(Set(Self.steps.flatMap(\.names)).count))
    }
}
