import SoundboxSystem
import Subprocess

/// The machine's addresses, and the signal of its access point.
struct NetworkCheck {
    /// An interface that has an address.
    struct Link: Equatable {
        var interface: String
        var address: String
        var isWireless = false
        /// The signal of the access point in dBm; `nil` by cable, or if the driver does not report it.
        var signal: Int?
    }

    /// At this signal or below, connections drop and messages are late
    /// (https://www.accessagility.com/blog/wifi-signal-strength-explained: −75 to −85 dBm is weak).
    static let weakSignal = -75

    static func finding(_ links: [Link]) -> Finding {
        guard !links.isEmpty else {
            return Finding(
                "network", .amber, "neither a cable nor Wi-Fi has given this machine an address",
                advice: "plug a cable in, or see \"Wi-Fi\" in docs/install.md")
        }
        let detail = links.map { link in
            guard link.isWireless else { return "\(link.address) by cable (\(link.interface))" }
            let signal = link.signal.map { "signal \($0) dBm" } ?? "its signal is not told"
            return "\(link.address) by Wi-Fi (\(link.interface)), \(signal)"
        }.joined(separator: "; ")
        let signals = links.compactMap(\.signal)
        guard links.allSatisfy(\.isWireless), let best = signals.max(), best <= weakSignal else {
            return Finding("network", .green, detail)
        }
        return Finding(
            "network", .amber, "\(detail), which is weak",
            advice: "bring the box and the access point nearer to each other, or use a cable")
    }

    /// The links of this machine. Asks the kernel, and `iw` if the kernel does not report a signal.
    static func links() async -> [Link] {
        var links = (try? await onOwnThread(named: "doctor") { kernelsLinks() }) ?? []
        for index in links.indices where links[index].isWireless && links[index].signal == nil {
            links[index].signal = await signal(ofLink: links[index].interface)
        }
        return links
    }

    /// Blocks on /sys and /proc.
    private static func kernelsLinks() -> [Link] {
        let addresses = NetworkAddress.all()
        // Bridges repeat the address of a real interface. In a container there may be no real one.
        let real = addresses.filter { SmallFile.exists("/sys/class/net/\($0.interface)/device") }
        let signals = signals(in: (try? SmallFile.read("/proc/net/wireless")) ?? "")
        return (real.isEmpty ? addresses : real).map { interface, octets in
            let isWireless = SmallFile.exists("/sys/class/net/\(interface)/phy80211")
            return Link(
                interface: interface, address: octets.map { String($0) }.joined(separator: "."),
                isWireless: isWireless, signal: isWireless ? signals[interface] : nil)
        }
    }

    /// The signals in `/proc/net/wireless`, by interface. Some drivers use other units, which are not negative.
    static func signals(in text: String) -> [String: Int] {
        var signals: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 3, fields[0].hasSuffix(":"),
                let level = Int(fields[3].hasSuffix(".") ? fields[3].dropLast() : fields[3]), isLevel(level)
            else { continue }
            signals[String(fields[0].dropLast())] = level
        }
        return signals
    }

    /// The signal in the output of `iw dev INTERFACE link`: `signal: -56 dBm`.
    static func signal(inLink text: String) -> Int? {
        for line in text.split(separator: "\n") {
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count == 3, fields[0] == "signal:", fields[2] == "dBm" else { continue }
            return Int(fields[1]).flatMap { isLevel($0) ? $0 : nil }
        }
        return nil
    }

    /// The kernel writes −256 for an unknown level.
    private static func isLevel(_ level: Int) -> Bool { (-120..<0).contains(level) }

    private static func signal(ofLink interface: String) async -> Int? {
        let result = try? await Subprocess.run(
            .name("iw"), arguments: ["dev", interface, "link"], output: .string(limit: 65_536), error: .discarded)
        guard let text = result?.standardOutput else { return nil }
        return signal(inLink: text)
    }
}
