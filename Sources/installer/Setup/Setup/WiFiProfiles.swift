import Glibc
import SoundboxCore
import SoundboxSystem

/// NetworkManager's connection profiles. NetworkManager reads the folder at its start and at `nmcli connection reload`.
/// Files are used instead of `nmcli device wifi connect`, which needs the network in range and shows the password in
/// `ps`.
struct WiFiProfiles: Sendable, Equatable {
    /// One file for each network, owned by root and readable only by root; NetworkManager ignores others
    /// (https://networkmanager.dev/docs/api/latest/nm-settings-keyfile.html).
    var folder = "/etc/NetworkManager/system-connections"

    /// Why no profile can be installed; `nil` if one can. Blocks on the disk.
    var problem: String? {
        SmallFile.exists(folder)
            ? nil : "Wi-Fi is not set up: NetworkManager is not installed here (there is no \(folder))"
    }

    /// The file of a network. Each network has its own name, so that a new one does not replace another.
    func path(_ network: WiFiNetwork) -> String { "\(folder)/soundbox-\(network.name.utf8.hexadecimal).nmconnection" }

    /// The earlier profile of a network whose password changes. NetworkManager tries it if the new one fails.
    private func previousPath(_ network: WiFiNetwork) -> String {
        "\(folder)/soundbox-\(network.name.utf8.hexadecimal)-before.nmconnection"
    }

    /// Blocks on the disk.
    func isInstalled(_ network: WiFiNetwork) -> Bool { (try? SmallFile.read(path(network))) == network.keyfile }

    /// Adds the network's profile. Blocks on the disk.
    func install(_ network: WiFiNetwork) throws(FileError) {
        let path = path(network)
        if let before = try? SmallFile.read(path) {
            guard before != network.keyfile else { return }
            let earlier = before.replacing(WiFiNetwork.firstChoice, with: WiFiNetwork.secondChoice)
            try write(earlier, to: previousPath(network))
        }
        try write(network.keyfile, to: path)
    }

    private func write(_ text: String, to path: String) throws(FileError) {
        try SmallFile.replace(
            path, with: text, mode: 0o600, owner: geteuid() == 0 ? FileOwner(user: 0, group: 0) : nil)
    }
}

extension WiFiNetwork {
    fileprivate static let firstChoice = "autoconnect-priority=2"
    fileprivate static let secondChoice = "autoconnect-priority=1"

    /// The profile in the format of nm-settings-keyfile(5).
    ///
    /// The name of the network is written as bytes, because the text `12;34` would be read as bytes. `wpa-psk` covers
    /// WPA2 and WPA3. The priority is higher than 0, the default of other profiles, and higher than that of an earlier
    /// password. The UUID is derived from the file name.
    var keyfile: String {
        let ssid = name.utf8.map { "\($0);" }.joined()
        let security = password.map { "\n[wifi-security]\nkey-mgmt=wpa-psk\npsk=\($0.value.inKeyfile)\n" } ?? ""
        return """
            # Written by `soundbox setup`.
            [connection]
            id=\("soundbox \(name)".inKeyfile)
            type=wifi
            \(Self.firstChoice)

            [wifi]
            mode=infrastructure
            ssid=\(ssid)\(isHidden ? "\nhidden=true" : "")
            \(security)
            [ipv4]
            method=auto

            [ipv6]
            method=auto

            """
    }
}

extension String {
    /// Escaped for GLib's key files, where a backslash begins an escape and blanks at the ends are lost.
    fileprivate var inKeyfile: String { replacing("\\", with: "\\\\").replacing(" ", with: "\\s") }
}
