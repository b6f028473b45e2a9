extension BoxStatus {
    /// What of it are figures. What is unknown is left out. Who the box is stands in none of them: whoever reads the
    /// figures knows whom it asked.
    public var metrics: [MetricFamily] {
        var families: [MetricFamily] = [
            MetricFamily(
                "soundbox_build_info", .gauge, "Always 1; which version of the program runs.",
                [.init([.init("version", version)], .number(1))]),
            MetricFamily("soundbox_online", .gauge, "Whether payments can arrive.", isOnline ? 1 : 0),
        ]
        func add(
            _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: Double?
        ) {
            if let value { families.append(MetricFamily(name, kind, help, value)) }
        }
        add(
            "soundbox_uptime_seconds", .gauge, "Time since the start, by a clock that is never set.",
            uptime.map { Double($0.components.seconds) })
        add(
            "soundbox_payments_waiting", .gauge, "Notices that are stored and not yet spoken to their end.",
            counts.map { Double($0.waiting) })
        add(
            "soundbox_receipts_waiting", .gauge, "Receipts that the broker has not confirmed.",
            counts.map { Double($0.receiptsWaiting) })
        add(
            "soundbox_xruns_total", .counter, "How often the sound card ran dry in the middle of an announcement.",
            xruns.map { Double($0) })
        add(
            "soundbox_volume_ratio", .gauge, "The volume that is set, 0 to 1, muted or not.",
            volume.map { Double($0) / 100 })
        add("soundbox_muted", .gauge, "Whether somebody has muted the box.", isMuted.map { $0 ? 1 : 0 })
        if let clock {
            add(
                "soundbox_clock_confirmed", .gauge, "Whether the kernel follows a time server.",
                clock == .synchronised ? 1 : 0)
            families.append(
                MetricFamily(
                    "soundbox_clock_state", .gauge, "1 for the sign by which the box knows the time, 0 for the others.",
                    ClockState.allCases.map {
                        .init([.init("state", $0.rawValue)], .number($0 == clock ? 1 : 0))
                    }))
        }
        return families
    }
}
