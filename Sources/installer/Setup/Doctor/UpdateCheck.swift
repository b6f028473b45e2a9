import SoundboxCore
import SoundboxSystem

/// Checks that a box that follows a repository's ring (`provisioning/repository`) still gets updates from it.
///
///     let finding = UpdateCheck().finding(at: Int64(time(nil)))
struct UpdateCheck {
    /// Where `follow.sh` names the repository.
    var source = "/etc/apt/sources.list.d/soundbox.sources"
    /// Where apt keeps the last index that it has accepted.
    var lists = "/var/lib/apt/lists"

    /// Blocks on the disk.
    /// - Parameter now: seconds since 1970.
    /// - Returns: `nil` for a box that follows no ring.
    func finding(at now: Int64) -> Finding? {
        guard SmallFile.exists(source) else { return nil }
        let advice = "see: apt-get update; and ask who runs the repository (\(source)) to renew its index"
        guard let (ring, end) = index else {
            return Finding("updates", .amber, "no index of \(source) was ever accepted", advice: advice)
        }
        guard now <= end else {
            return Finding("updates", .amber, "none since the index of \(ring) has expired", advice: advice)
        }
        return Finding("updates", .green, "follows \(ring)")
    }

    /// The ring, and the second since 1970 after which its index counts no more. Fields as in
    /// https://wiki.debian.org/DebianRepository/Format.
    private var index: (ring: String, end: Int64)? {
        for name in (try? SmallFile.names(in: lists)) ?? [] where name.hasSuffix("_InRelease") {
            guard let lines = try? SmallFile.read("\(lists)/\(name)").split(separator: "\n"),
                lines.contains("Origin: Soundbox"),
                let ring = lines.first(where: { $0.hasPrefix("Suite: ") })?.dropFirst(7),
                let date = lines.first(where: { $0.hasPrefix("Valid-Until: ") })?.dropFirst(13),
                let end = secondsSince1970(ofDate: String(date))
            else { continue }
            return (String(ring), end)
        }
        return nil
    }
}
