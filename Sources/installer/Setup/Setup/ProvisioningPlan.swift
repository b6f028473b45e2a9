import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// What a provisioning file asks for: a setup, a Wi-Fi network, something of the card's system, or several of them.
public struct ProvisioningPlan: Sendable, Equatable {
    /// `nil` for a file that holds no part of one: the setup that is installed stays.
    let setup: SetupPlan?
    let wifi: WiFiNetwork?
    let system: CardSystem?
    private let path: String
    var profiles = WiFiProfiles()

    /// - Parameters:
    ///   - text: a provisioning file, and `file` its name for errors.
    ///   - path: where `soundbox.yaml` goes.
    ///   - cardMarker: what only a card image has.
    init(
        parsing text: String, file: String, to path: String, cardMarker: String = CardSystem.marker
    ) throws(YAMLError) {
        var document = try YAMLDocument(parsing: text, file: file)
        let top = try YAMLValue(parsing: text, file: file, isConfidential: true).mapping()
        if let value = top.optional("wifi") {
            wifi = try WiFiNetwork(reading: value)
            document[path: ["wifi"]] = nil
        } else {
            wifi = nil
        }
        if let value = top.optional("system") {
            system = try CardSystem(reading: value, marker: cardMarker)
            document[path: ["system"]] = nil
        } else {
            system = nil
        }
        let others = (wifi == nil ? 0 : 1) + (system == nil ? 0 : 1)
        let hasSetup = others == 0 || top.entries.count > others
        setup = !hasSetup ? nil : try SetupPlan(document, source: file, to: path)
        self.path = path
    }

    /// The paths of what would be written. Blocks on the disk.
    public var changes: [String] {
        let network = newNetwork.map { [profiles.path($0)] } ?? []
        let card = system?.changes(in: SmallFile.folder(of: path)) ?? []
        return network + card + (setup?.changes.map(\.path) ?? [])
    }

    /// What cannot be done on this machine, and does not keep the rest from being done. Blocks on the disk.
    public var notice: String? { wifi == nil ? nil : profiles.problem }

    /// Writes what differs: the setup, as a whole or not at all, and then the network. Blocks on the disk.
    /// - Returns: the paths that changed.
    @discardableResult
    public func write() throws -> [String] {
        var changed = try setup?.write() ?? []
        if let system {
            try SmallFile.createFolder(of: path, mode: 0o750, owner: FileOwners.installed.settings)
            changed += try system.write(in: SmallFile.folder(of: path))
        }
        if let wifi, profiles.problem == nil {
            let owner = FileOwners.installed.settings
            let countryFile = WiFiSwitch.countryFile(path)
            try SmallFile.createFolder(of: path, mode: 0o750, owner: owner)
            // First: a profile whose radio stays off is of no use, and a power cut may come in between.
            try SmallFile.replace(countryFile, with: "\(wifi.country)\n", mode: 0o640, owner: owner)
            if let newNetwork {
                try profiles.install(newNetwork)
                changed.append(profiles.path(newNetwork))
            }
        }
        return changed
    }

    /// ``SetupPlan/remarks``, and the same of the card's zone.
    public var remarks: [String] {
        let zone = system?.timeZone.flatMap(ProcessTimeZone.surprise).map { "system.time_zone: \($0)." }
        return (setup?.remarks ?? []) + [zone].compactMap(\.self)
    }

    /// Whether ``WiFiSwitch`` has something to do once this is written.
    public var hasNetwork: Bool { wifi != nil && profiles.problem == nil }

    private var newNetwork: WiFiNetwork? {
        guard let wifi, profiles.problem == nil, !profiles.isInstalled(wifi) else { return nil }
        return wifi
    }
}
