import Foundation
import SoundboxControl
import SoundboxCore
import TestSupport
import Testing

@testable import SoundboxPage

/// What the browser gets: its files as they are in the source tree.
@Suite("The words and modules of the shop's page")
struct PageWordsTests {
    private static let folder = #filePath.replacing(/\/Tests\/.*$/, with: "/Sources/page/browser")

    /// Of every language, in no order.
    private let languages: [(name: String, words: [String: String], names: [String: String])]
    private let modules: [(name: String, text: String)]
    private let html: String

    init() throws {
        html = try Self.read("page.html")
        modules = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".js") }
            .map { ($0, try Self.read($0)) }
        languages = try FileManager.default.contentsOfDirectory(atPath: "\(Self.folder)/words").map { file in
            let text = try Self.read("words/\(file)")
            let json = try JSONValue(parsing: Array(text.utf8))
            let words = try Self.texts(json, file)
            let names = try Self.texts(try #require(json["names"]), file)
            // Of a key that is there twice, one counts.
            let count = text.components(separatedBy: "\": ").count - 1
            #expect(count == words.count + names.count + 1, "\(file): keys")
            return (String(file.prefix { $0 != "." }), words, names)
        }
    }

    private static func read(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }

    private static func texts(_ json: JSONValue, _ file: String) throws -> [String: String] {
        guard case .object(let members) = json else { throw TestFailure("\(file) is no object of texts") }
        var texts: [String: String] = [:]
        for (key, value) in members where key != "names" {
            let text = try #require(value.string, "\(file): \(key)")
            #expect(!text.isEmpty && text == text.trimmingCharacters(in: .whitespaces), "\(file): \(key)")
            texts[key] = text
        }
        return texts
    }

    private var english: [String: String] {
        get throws { try #require(languages.first { $0.name == "en" }).words }
    }

    @Test("The ten languages that the page offers have the same keys, with a number or a time in the same places")
    func languagesAreAlike() throws {
        let lists = modules.compactMap { $0.text.firstMatch(of: /const LANGUAGES = \[([^\]]+)\]/)?.1 }
        let offered = try #require(lists.first).matches(of: /'([^']+)'/).map { String($0.1) }
        #expect(languages.count == 10)
        #expect(languages.map(\.name).sorted() == offered.sorted())
        let places = try english.mapValues(places)
        for (language, words, names) in languages {
            #expect(words.mapValues(self.places) == places, "\(language)")
            #expect(names.keys.allSatisfy { $0.wholeMatch(of: /[a-z0-9]+/) != nil }, "\(language)")
            #expect(names.keys.contains("refund") && names.keys.contains("cash"), "\(language)")
        }
    }

    private func places(_ text: String) -> [String] { text.matches(of: /\{[^}]*\}?|\}/).map { String($0.0) } }

    @Test("The page uses every key that its languages have, and no other; it fills in what has a place for it")
    func keysAreUsed() throws {
        var used = html.matches(of: /data-t="(\w+)"/).map { String($0.1) }
        var filled: [String] = []
        for (name, text) in modules {
            used += text.matches(of: /\bt\.(\w+)/).map { String($0.1) }
            filled += text.matches(of: /\bfill\(t\.(\w+)/).map { String($0.1) }
            // A key that is put together at run time could not be found here.
            #expect(text.matches(of: /\bt\[/).count == text.matches(of: /\bt\[element\.dataset\.t\]/).count, "\(name)")
        }
        #expect(Set(used).symmetricDifference(try english.keys) == [])
        #expect(Set(filled) == Set(try english.filter { $0.value.contains("{0}") }.keys))
        #expect(filled.contains("refused"))
    }

    @Test("Every file of the page is served, and everything that it loads is one of them")
    func filesAreServed() throws {
        let files = try PageFiles(folder: Self.folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: Self.folder).filter { $0.contains(".") }
        for name in names where name != "page.html" { #expect(files["/\(name)"] != nil, "\(name)") }
        let loaded =
            html.matches(of: /(?:src|href)="(\/[^"]+)"/).map { String($0.1) }
            + modules.flatMap { $0.text.matches(of: /\bfrom '\.(\/[^']+)'/) }.map { String($0.1) }
        #expect(loaded.count >= 3)
        for path in loaded { #expect(files[path] != nil, "\(path)") }
    }

    @Test("A browser that comes by another name is refused in the language of the box's voice, whichever the page has")
    func refusals() throws {
        for language in languages.map(\.name) where language != "en" {
            let voice = ["zh-Hans": "zh-CN", "zh-Hant": "zh-TW"][language] ?? "\(language)-XX"
            let text = String(decoding: RefusalPage.otherName(language: voice).body, as: UTF8.self)
            #expect(text.contains(#"<p lang="\#(language)">"#), "\(language)")
        }
    }
}
