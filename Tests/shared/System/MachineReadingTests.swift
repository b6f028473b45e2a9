import Foundation
import SoundboxSystem
import TestSupport
import Testing

@Suite("What the machine says of itself")
struct MachineReadingTests {
    @Test("Thermal zones are read until there is none, and a sensor that refuses is left out")
    func temperatures() throws {
        let folder = try TemporaryFolder()
        for (zone, files) in [(0, ["type": "cpu-thermal\n", "temp": "48312\n"]), (1, ["type": "off\n"])] {
            try FileManager.default.createDirectory(
                atPath: folder.file("thermal_zone\(zone)"), withIntermediateDirectories: true)
            for (name, text) in files { _ = try folder.write(text, to: "thermal_zone\(zone)/\(name)") }
        }
        let reading = MachineReading(stateDirectory: folder.path, thermalFolder: folder.path)
        #expect(reading.temperatures.map(\.zone) == ["thermal_zone0"])
        #expect(reading.temperatures.first?.type == "cpu-thermal" && reading.temperatures.first?.celsius == 48.312)
        #expect(try #require(reading.freeBytes) > 0)
    }

    @Test("What is not there is not made up")
    func nothing() {
        #expect(MachineReading(stateDirectory: "/nowhere", thermalFolder: "/nowhere") == MachineReading())
    }
}
