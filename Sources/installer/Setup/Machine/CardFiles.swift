/// The files of the boot partition's folder that are for the first boot, by their names.
///
///     let files = CardFiles(["provisioning.yml", "provisioning (1).yaml"])
///     print(files.setups, files.nearMisses)  // ["provisioning.yml"] ["provisioning (1).yaml"]
struct CardFiles: Equatable {
    /// Where soundbox-first-boot.service looks.
    static let usualFolder = "/boot/firmware/soundbox"

    /// Setups: `provisioning` or `soundbox`, with `.yaml` or `.yml`, in letters of any size as on FAT. Only one may be
    /// present.
    private(set) var setups: [String] = []
    /// Claims, by the same rule.
    private(set) var claims: [String] = []
    /// Other names that are meant for the box: `provisioning.yaml.txt` (Windows hides the end), `provisioning (1).yaml`
    /// (a second download), `provisionning.yaml`. Nothing else in this folder is YAML. None is taken, because it may be
    /// the older one.
    private(set) var nearMisses: [String] = []

    init(_ names: [String]) {
        for name in names.sorted() {
            switch name.lowercased() {
            case "provisioning.yaml", "provisioning.yml", "soundbox.yaml", "soundbox.yml": setups.append(name)
            case "claim.yaml", "claim.yml": claims.append(name)
            default: if Self.isNearMiss(name) { nearMisses.append(name) }
            }
        }
    }

    private static func isNearMiss(_ name: String) -> Bool {
        // macOS leaves `._provisioning.yaml` beside a file.
        guard !name.hasPrefix(".") else { return false }
        let plain = name.lowercased().filter { !$0.isWhitespace }
        let stem = plain.hasSuffix(".txt") ? String(plain.dropLast(4)) : plain
        return stem.hasSuffix(".yaml") || stem.hasSuffix(".yml") || ["provisioning", "claim"].contains(stem)
    }

    /// Why nothing can be taken, in one line; `nil` for nothing.
    func problem(in folder: String) -> String? {
        // At the next start, the second file would replace the setup of the first.
        for files in [setups, claims] where files.count > 1 {
            return "\(files.joined(separator: " and ")) are both in \(folder); leave one of them there"
        }
        guard let name = nearMisses.first else { return nil }
        guard let other = setups.first ?? claims.first else {
            let wanted = name.lowercased().contains("claim") ? "claim.yaml" : "provisioning.yaml"
            return "\(name) in \(folder) is not taken: its name is none that the box reads; rename it to \(wanted)"
        }
        return
            "\(other) and \(name) are both in \(folder); leave only the one that is meant, named \(other.lowercased())"
    }
}
