import Testing

@testable import SoundboxPage

@Suite("A QR code in a terminal")
struct QRCodeTests {
    @Test("Two modules stand in each character, within a light rim of four")
    func halves() {
        // Dark at the left above, and at the right below.
        let lines = QRCode.lines(2) { column, row in column == row }
        let light = String(repeating: "█", count: 10)
        #expect(lines == [light, light, "████▄▀████", light, light])
    }

    @Test("An address is a code of 25 modules with its three finders, and a text that is too long is none")
    func address() throws {
        let lines = try #require(QRCode.lines(of: "http://192.168.1.7/"))
        // Version 2, its rim included.
        #expect(lines.count == 17 && lines.allSatisfy { $0.count == 33 })
        #expect(lines[2].hasPrefix("████ ▄▄▄▄▄ █") && lines[2].hasSuffix("█ ▄▄▄▄▄ ████"))
        #expect(QRCode.lines(of: String(repeating: "x", count: 3000)) == nil)
    }

    @Test("An odd height ends light")
    func odd() {
        let lines = QRCode.lines(1) { _, _ in true }
        #expect(lines.count == 5)
        #expect(lines[2] == "████▄████")
    }
}
