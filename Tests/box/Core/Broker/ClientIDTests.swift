import SoundboxCore
import TestSupport
import Testing

@Suite("Names of clients at the broker")
struct ClientIDTests {
    @Test(
        "Usual ids stand in it as they are, and it stays the same for ever: what waits at the broker hangs on it",
        arguments: [
            ("M1001", "box-01", "soundbox-M1001-box-01"), ("店铺", "收银台-1", "soundbox-店铺-收银台-1"),
            ("a-b", "c", "soundbox-a%2Db-c"), ("a", "b-c", "soundbox-a-b-c"), ("100%", "5%-b", "soundbox-100%25-5%-b"),
        ])
    func known(merchant: String, device: String, name: String) {
        #expect(ClientID.box(merchant: merchant, device: device) == name)
    }

    @Test(
        "No two boxes have one name, whatever merchant and device are called", arguments: 1...20 as ClosedRange<UInt64>)
    func injective(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let letters = ["-", "%", "2", "5", "D", "d", "a", "é", "e\u{301}", "店", " ", "."]
        var boxes: [[UInt8]: [[UInt8]]] = [:]
        for _ in 1...5000 {
            let parts = (0..<2).map { _ in
                (0..<Int.random(in: 1...4, using: &random))
                    .map { _ in letters.randomElement(using: &random) ?? "" }.joined()
            }
            let box = parts.map { Array($0.utf8) }
            let name = Array(ClientID.box(merchant: parts[0], device: parts[1]).utf8)
            #expect(boxes[name] ?? box == box, "\(parts)")
            boxes[name] = box
        }
    }

    @Test("A visitor has another name each time, and never a box's")
    func visitors() {
        let names = (1...100).map { _ in ClientID.visitor("probe") }
        #expect(Set(names).count == 100)
        // A box's has two hyphens at least.
        #expect(names.allSatisfy { $0.hasPrefix("soundbox-probe.") && $0.filter { $0 == "-" }.count == 1 })
    }
}
