import Foundation
import SoundboxCore
import SoundboxSystem
import Testing

@testable import SoundboxWorkshop

@Suite("Pages with sound in them")
struct PagePolicyTests {
    private static let pages = [PackageResources.comparison_html, PackageResources.blind_html].map {
        String(decoding: $0, as: UTF8.self)
    }

    @Test(
        "A page runs nothing but its own style and script, by their hashes", arguments: pages.indices,
        ["style", "script"])
    func hashes(page: Int, element: String) throws {
        let html = Self.pages[page]
        let content = try #require(
            html.components(separatedBy: "<\(element)>").last?
                .components(separatedBy: "</\(element)>").first)
        let hash = Base64.text(of: SHA256.hash(of: Array(content.utf8)))
        #expect(html.contains("\(element)-src 'sha256-\(hash)';"))
    }

    @Test("A page loads nothing", arguments: pages.indices)
    func policy(page: Int) {
        let html = Self.pages[page]
        #expect(html.contains("default-src 'none'; media-src data:; style-src 'sha256-"))
        #expect(!html.contains("unsafe"))
        // Styles in elements would be refused by the policy.
        #expect(!html.contains(" style=\"") && html.firstMatch(of: /\son[a-z]+="/) == nil)
        #expect(html.firstMatch(of: /(?:src|href)="/) == nil)
        // The name of a namespace is never loaded.
        let addresses = html.replacing("\"http://www.w3.org/2000/svg\"", with: "")
        #expect(!addresses.contains("http:") && !addresses.contains("https:"))
    }
}
