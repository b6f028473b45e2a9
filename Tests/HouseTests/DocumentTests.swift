import Foundation
import Testing

@Suite("The documents name what is there")
struct DocumentTests {
    private static func names(in folder: String) -> [String] {
        let found = FileManager.default.enumerator(atPath: "\(SourceTree.project)/\(folder)")
        return found?.compactMap { $0 as? String } ?? []
    }

    static let documents =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
        + ["docs", "board", "provisioning", "sounds"].flatMap { folder in
            names(in: folder).filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
        }.sorted()

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

    @Test("Every link leads to a file, and to a heading that it has", arguments: documents)
    func links(document: String) throws {
        let folder = document.split(separator: "/").dropLast().joined(separator: "/")
        for link in try Self.prose(of: document).matches(of: /\]\(([^)\s]+)\)/).map({ String($0.1) }) {
            guard link.prefixMatch(of: /\w+:/) == nil else { continue }
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let path = parts[0].isEmpty ? document : folder.isEmpty ? parts[0] : "\(folder)/\(parts[0])"
            #expect(FileManager.default.fileExists(atPath: "\(SourceTree.project)/\(path)"), "\(link)")
            guard parts.count == 2, path.hasSuffix(".md") else { continue }
            #expect(try Self.anchors(of: path).contains(parts[1]), "\(link)")
        }
    }

    /// Without what stands in blocks of code.
    private static func prose(of document: String) throws -> String {
        try String(contentsOfFile: "\(SourceTree.project)/\(document)", encoding: .utf8)
            .components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
    }

    /// As GitHub makes them of headings.
    private static func anchors(of document: String) throws -> Set<String> {
        Set(
            try prose(of: document).matches(of: /(?m)^#+ (.+)$/).map { heading in
                String(heading.1).replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }.lowercased()
                    .filter { $0.isLetter || $0.isNumber || "_- ".contains($0) }.replacing(" ", with: "-")
            })
    }

    @Test("The newest version of CHANGELOG is the program's")
    func version() throws {
        let changes = try String(contentsOfFile: "\(SourceTree.project)/CHANGELOG.md", encoding: .utf8)
        let program = try String(
            contentsOfFile: "\(SourceTree.project)/Sources/SoundboxCore/Version.swift", encoding: .utf8)
        #expect(
            changes.firstMatch(of: /(?m)^## (\S+)$/)?.1 == program.firstMatch(of: /current = "(.+)"/)?.1)
    }

    @Test("architecture.md lists the folders of the daemon, each once")
    func folders() throws {
        let page = try String(contentsOfFile: "\(SourceTree.project)/docs/architecture.md", encoding: .utf8)
        let section = page.components(separatedBy: "\n## ").first { $0.hasPrefix("The folders of the daemon") }
        let listed = try #require(section).matches(of: /`(\w+)\/`/).map { String($0.1) }
        #expect(listed.sorted() == Set(SourceTree.files(of: "SoundboxBox").map(\.folder)).subtracting([""]).sorted())
    }
}
