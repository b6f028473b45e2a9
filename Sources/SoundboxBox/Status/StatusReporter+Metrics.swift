import SoundboxCore
import SoundboxSystem

extension StatusReporter {
    /// What the box can say in figures, for the text of `GET /metrics`. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - counted: what was counted as it happened.
    ///   - machine: what the machine says of itself. May block.
    package func metrics(counted: MetricsRegistry, machine: @Sendable () -> MachineReading) -> [MetricFamily] {
        let status = status()
        let snapshot = state.snapshot
        var families = status.metrics + counted.families
        families.append(
            MetricFamily(
                "soundbox_fault", .gauge, "1 for each kind of fault that the box has, 0 for the others.",
                BoxState.FaultKind.allCases.map { kind in
                    .init([.init("kind", kind.rawValue)], .number(snapshot.fault(kind) == nil ? 0 : 1))
                }))
        families.append(
            MetricFamily(
                "soundbox_warnings", .gauge, "How many things somebody should look at although the box does its work.",
                Double(status.warnings?.count ?? 0)))
        let machine = machine()
        if let free = machine.freeBytes {
            families.append(
                MetricFamily(
                    "soundbox_state_directory_free_bytes", .gauge, "Room on the disk of the state directory.",
                    Double(free)))
        }
        if !machine.temperatures.isEmpty {
            families.append(
                MetricFamily(
                    "soundbox_board_temperature_celsius", .gauge, "What the board's thermal zones measure.",
                    machine.temperatures.map {
                        .init([.init("zone", $0.zone), .init("type", $0.type)], .number($0.celsius))
                    }))
        }
        return families
    }
}
