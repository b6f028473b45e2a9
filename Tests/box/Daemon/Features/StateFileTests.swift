import Glibc
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("Values that outlive a restart")
struct StateFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// - Parameter others: texts that are no such value.
    private func check<Value: Equatable & Sendable>(
        _ file: StateFile<Value>, _ value: Value, _ text: String, others: [String]
    ) throws {
        #expect(file.read() == nil)
        try file.write(value)
        #expect(file.read() == value)
        #expect(try SmallFile.bytes(of: file.path, limit: 4096) == Array(text.utf8))
        // A card that has lost the end of it.
        for other in others + ["", "\n", String(text.dropLast(2))] {
            try SmallFile.replace(file.path, with: other, mode: 0o640, owner: nil)
            #expect(file.read() == nil, "\(other)")
        }
        unlink(file.path)
        mkdir(file.path, 0o755)
        #expect(file.read() == nil)
        #expect(throws: FileError.self) { try file.write(value) }
    }

    @Test("Each is read as it was written, and what is damaged or no file is no value")
    func values() throws {
        let time = Timestamp(millisecondsSince1970: 1_795_233_600_250)
        try check(.volume(in: folder.path), Volume(35), "35\n", others: ["loud\n", "35\n35\n"])
        let text = "2026-11-21T04:00:00.250Z"
        for (proven, word) in [
            (Optional(Timestamp(millisecondsSince1970: 1_795_233_540_250)), "2026-11-21T03:59:00.250Z"), (nil, "-"),
        ] {
            try check(
                .time(in: folder.path), KnownTime(earliest: time, proven: proven),
                "\(text) \(word)\n\(text) \(word)\n",
                others: [
                    "yesterday\n", "\(text)\n", "\(text)\n2036-11-21T04:00:00.250Z\n", "\(text) x\n\(text) x\n",
                    "\(text) - -\n\(text) - -\n", "-\n-\n",
                ])
            rmdir("\(folder.path)/time")
        }
        try SmallFile.replace("\(folder.path)/time", with: "\(text)\n\(text)\n", mode: 0o640, owner: nil)
        #expect(
            StateFile.time(in: folder.path).read() == KnownTime(earliest: time, proven: time), "as 0.2.0 has written it"
        )
        try check(
            .dayEnd(in: folder.path), try #require(CivilDate("2026-11-22")), "2026-11-22\n",
            others: ["2026-11-31\n", "2026-11-22T\n"])
        let hours = QuietChange.hours(QuietHours(start: 0, end: 720, volume: 5))
        try check(
            .quietHours(in: folder.path), hours, "\(hours.json.text)\n", others: ["[]\n", "{\"from\":\"22:00\"}\n"])
        let session = SessionRecord(epoch: 7, clientID: "box", began: time, hasLoss: true)
        try check(.session(in: folder.path), session, "\(session.json.text)\n", others: ["{\"epoch\":\n", "{}\n"])
    }
}
