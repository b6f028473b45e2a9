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

    @Test("An odd height ends light")
    func odd() {
        let lines = QRCode.lines(1) { _, _ in true }
        #expect(lines.count == 5)
        #expect(lines[2] == "████▄████")
    }
}
