import Glibc

/// Readings of the machine: free disk space and temperatures.
///
///     let reading = MachineReading(stateDirectory: "/var/lib/soundbox")
///     for temperature in reading.temperatures { print(temperature.type, temperature.celsius) }
package struct MachineReading: Sendable, Equatable {
    package struct Temperature: Sendable, Equatable {
        /// `thermal_zone0`
        package var zone: String
        /// The driver's name for it: `cpu-thermal`.
        package var type: String
        package var celsius: Double
    }

    /// On the disk of the state directory, for programs without root's rights; `nil` when the disk does not say.
    package var freeBytes: UInt64?
    /// Empty when the kernel has no thermal zone, as in a virtual machine.
    package var temperatures: [Temperature] = []

    package init(freeBytes: UInt64? = nil, temperatures: [Temperature] = []) {
        (self.freeBytes, self.temperatures) = (freeBytes, temperatures)
    }

    /// Blocks on the disk, and on sensors that answer slowly.
    package init(stateDirectory: String, thermalFolder: String = "/sys/class/thermal") {
        var room = statvfs()
        if statvfs(stateDirectory, &room) == 0 { freeBytes = UInt64(room.f_bavail) * UInt64(room.f_frsize) }
        // The kernel numbers them from 0. No board has more.
        for number in 0..<32 {
            let folder = "\(thermalFolder)/thermal_zone\(number)"
            guard let type = Self.line("\(folder)/type") else { break }
            // A sensor may refuse for a while: EAGAIN while it is switched off.
            guard let text = Self.line("\(folder)/temp"), let thousandths = Int(text) else { continue }
            temperatures.append(
                Temperature(zone: "thermal_zone\(number)", type: type, celsius: Double(thousandths) / 1000))
        }
    }

    private static func line(_ path: String) -> String? {
        guard let bytes = try? SmallFile.bytes(ofRegularFile: path, limit: 4096) else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
