import SoundboxCore
import SoundboxSystem

/// Disk space and temperatures of the machine.
struct MachineMetrics: Feature {
    /// `nil` for a box that keeps nothing: there is no disk to tell of.
    let stateDirectory: String?
    let thermalFolder: String

    var metricFamilies: [MetricFamily] {
        guard let stateDirectory else { return [] }
        let reading = MachineReading(stateDirectory: stateDirectory, thermalFolder: thermalFolder)
        var families: [MetricFamily] = []
        if let free = reading.freeBytes {
            families.append(
                MetricFamily(
                    "soundbox_state_directory_free_bytes", .gauge, "Room on the disk of the state directory.",
                    Double(free)))
        }
        if !reading.temperatures.isEmpty {
            families.append(
                MetricFamily(
                    "soundbox_board_temperature_celsius", .gauge, "What the board's thermal zones measure.",
                    reading.temperatures.map {
                        .init([.init("zone", $0.zone), .init("type", $0.type)], .number($0.celsius))
                    }))
        }
        return families
    }
}
