import Glibc
import SoundboxCore
import SoundboxSystem

/// NetworkManager's profiles of networks. It reads the folder when it starts and when it is told to. Files, and not
/// `nmcli device wifi connect`: that needs the network in reach, and shows the password in `ps`.
struct WiFiProfiles: Sendable, Equatable {
    /// One file for each network, of root's and for nobody else; others are ignored
    /// (https://networkmanager.dev/docs/api/latest/nm-settings-keyfile.html).
    var folder = "/etc/NetworkManager/system-connections"

    /// Why nothing can be installed; `nil` when it can. Blocks on the disk.
    var problem: String? {
        SmallFile.exists(folder)
            ? nil : "Wi-Fi is not set up: NetworkManager is not installed here (there is no \(folder))"
    }

    /// The network's file. A name of its own for every network, so that one which is added leaves the others alone.
    func path(_ network: WiFiNetwork) -> String { "\(folder)/soundbox-\(network.name.utf8.hexadecimal).nmconnection" }

    /// What is there for a network of the same name and another password is kept, and tried when the new one fails.
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

    /// The profile in the words of nm-settings-keyfile(5).
    ///
    /// The name of the network is written as bytes: as text, `12;34` would be taken for them. `wpa-psk` stands for the
    /// passwords of WPA2 and of WPA3. It is tried before networks that others have set up, whose priority is 0, and before
    /// an earlier password of its own. The uuid follows from the file's name.
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
    /// A text of GLib's key files, where a backslash begins an escape and blanks at the ends are lost.
    fileprivate var inKeyfile: String { replacing("\\", with: "\\\\").replacing(" ", with: "\\s") }
}
