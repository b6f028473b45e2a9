import Foundation
import Testing

@Suite("The words of the shop's page")
struct PageWordsTests {
    @Test("Each of the ten languages has one line for each key, and says how many notices were refused")
    func lines() throws {
        let file = #filePath.replacing(/\/Tests\/.*$/, with: "/Sources/page/browser/page.js")
        let script = try String(contentsOfFile: file, encoding: .utf8)
        let keys = try #require(script.firstMatch(of: /const KEYS = `([^`]+)`/)?.1).split(
            whereSeparator: \.isWhitespace)
        let refused = try #require(keys.firstIndex(of: "refused"))
        let languages = script.matches(of: /\n'?([a-zA-Z-]+)'?: `\n([^`]+)`/)
        #expect(languages.count == 10)
        for language in languages {
            let lines = language.2.split(separator: "\n")
            #expect(lines.count == keys.count, "\(language.1)")
            #expect(lines[refused].contains("{0}"), "\(language.1)")
        }
    }
}
