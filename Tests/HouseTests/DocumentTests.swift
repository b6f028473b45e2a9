import Foundation
import Testing

@Suite("The documents name what is there")
struct DocumentTests {
    private static func names(in folder: String) -> [String] {
        let found = FileManager.default.enumerator(atPath: "\(SourceTree.project)/\(folder)")
        return found?.compactMap { $0 as? String } ?? []
    }

    /// The trails of CONTRIBUTING, the tables of README and the pages.
    static let documents =
        ["README.md", "CONTRIBUTING.md"]
        + names(in: "docs").filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }

    private static let files = Set((names(in: "Sources") + names(in: "Tests") + ["Package.swift"]).map(lastName))
    /// Of suites, some of which share a file, and of the folders that hold them.
    static let suites = names(in: "Tests").reduce(into: Set<String>()) { suites, name in
        suites.insert(lastName(name))
        let text = try? String(contentsOfFile: "\(SourceTree.project)/Tests/\(name)", encoding: .utf8)
        suites.formUnion((text ?? "").matches(of: /(?:struct|class|extension) (\w+Tests)/).map { String($0.1) })
    }
    private static let records = Set(names(in: "docs/decisions"))

    private static func lastName(_ path: some StringProtocol) -> String {
        String(path.split(separator: "/").last ?? "")
    }

    @Test("Every source file, suite of tests and decision that a document names is there", arguments: documents)
    func named(document: String) throws {
        let text = try String(contentsOfFile: "\(SourceTree.project)/\(document)", encoding: .utf8)
        if !document.hasPrefix("docs/decisions/") {
            for name in text.matches(of: /`([\w+\/-]+(?:\.swift|Tests))`/).map(\.1) {
                let file = Self.lastName(name)
                #expect(file.hasSuffix(".swift") ? Self.files.contains(file) : Self.suites.contains(file), "\(name)")
            }
        }
        for link in text.matches(of: /[(\/](\d{3}-[\w-]+\.md)/).map(\.1) {
            #expect(Self.records.contains(String(link)), "\(link)")
        }
    }

    @Test("architecture.md lists the folders of the daemon, each once")
    func folders() throws {
        let page = try String(contentsOfFile: "\(SourceTree.project)/docs/architecture.md", encoding: .utf8)
        let section = page.components(separatedBy: "\n## ").first { $0.hasPrefix("The folders of the daemon") }
        let listed = try #require(section).matches(of: /`(\w+)\/`/).map { String($0.1) }
        #expect(listed.sorted() == Set(SourceTree.files(of: "SoundboxBox").map(\.folder)).subtracting([""]).sorted())
    }
}
