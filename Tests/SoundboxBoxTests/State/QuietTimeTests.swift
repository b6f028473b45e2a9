import SoundboxConfiguration
import SoundboxCore
import SoundboxSystem
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("The quiet hours that are in force")
struct QuietTimeTests {
    private let setup = QuietHours(start: 22 * 60, end: 7 * 60, volume: 30)
    private let own = QuietHours(start: 0, end: 12 * 60, volume: 5)

    @Test("The shop's own count until it keeps to the setup again, across restarts")
    func ownCount() throws {
        let folder = try TemporaryFolder()
        let file = QuietHoursFile(path: folder.file("quiet_hours"))
        func quietTime() -> QuietTime { QuietTime(setup, own: file.read()) { try file.write($0) } }
        #expect(quietTime().reading == QuietReading(setup, isShops: false))
        try quietTime().change(to: .hours(own))
        #expect(quietTime().reading == QuietReading(own, isShops: true))
        try quietTime().change(to: .off)
        #expect(quietTime().reading == QuietReading(nil, isShops: true))
        #expect(quietTime().volumeNow == nil)
        try quietTime().change(to: .asSetUp)
        #expect(quietTime().reading == QuietReading(setup, isShops: false))
    }

    @Test("What cannot be written down does not come into force")
    func refused() {
        let quietTime = QuietTime(setup) { _ in throw FileError(path: "x", problem: "no room") }
        #expect(throws: FileError.self) { try quietTime.change(to: .off) }
        #expect(quietTime.reading == QuietReading(setup, isShops: false))
    }

    @Test(
        "A file that nobody can read leaves it to the setup",
        arguments: ["", "{", "[]", #"{"from": "22:00"}"#, #"{"from": "25:00", "to": "07:00", "volume": 20}"#])
    func damage(text: String) throws {
        let folder = try TemporaryFolder()
        #expect(QuietHoursFile(path: try folder.write(text, to: "quiet_hours")).read() == nil)
        #expect(QuietHoursFile(path: folder.path).read() == nil)
    }
}
