import Foundation
import Glibc
import SoundboxALSA
import Testing

@Suite("Why no card can be used")
struct CardObstacleTests {
    private let folder = NSTemporaryDirectory() + "soundbox-cards-\(UUID().uuidString)"

    private func obstacle(_ answers: [Int32]) throws -> CardObstacle? {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in ["timer", "seq"] + answers.indices.map({ "controlC\($0)" }) {
            #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: nil))
        }
        return CardObstacle.current(in: folder) { path in
            path.last?.wholeNumberValue.map { answers[$0] } ?? ENOENT
        }
    }

    @Test("Without a card's file there is no card; `timer` and `seq` come with the modules")
    func none() throws {
        #expect(try obstacle([]) == .noCard)
        #expect(CardObstacle.current(in: "/nonexistent") { _ in 0 } == .noCard)
    }

    @Test("One card that can be asked is enough, also a busy one")
    func usable() throws {
        #expect(try obstacle([0]) == nil)
        #expect(try obstacle([EACCES, 0]) == nil)
        #expect(try obstacle([EBUSY]) == nil)
    }

    @Test("Rights of the file and the unit's list of devices are told apart, and each says what to do")
    func kept() throws {
        let denied = try obstacle([EACCES])
        #expect(denied == .denied(device: "\(folder)/controlC0"))
        #expect(denied?.description.contains("adduser USER audio") == true)
    }

    @Test("A card that the unit's list of devices does not hold is no missing card")
    func fencedOff() throws {
        let fenced = try obstacle([EPERM])
        #expect(fenced == .fencedOff(device: "\(folder)/controlC0"))
        #expect(fenced?.description.contains("DeviceAllow=char-116") == true)
        let error = PCMError(ENOENT, detail: "cannot find card '0'")
        #expect(!error.reasonWhileOpening(cards: [], fenced).contains("no such device"))
        #expect(error.reasonWhileOpening(cards: [], .noCard).contains("this machine has no sound card"))
        // One that may be asked was misnamed.
        let card = ALSACard(name: "hw:CARD=Device", description: "USB Audio Device")
        #expect(error.reasonWhileOpening(cards: [card], nil).contains("choose one of \"hw:CARD=Device\""))
    }

    @Test("A card that went while it was looked at is no card")
    func gone() throws { #expect(try obstacle([ENODEV]) == .noCard) }
}
