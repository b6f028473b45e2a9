import Glibc
import SoundboxSystem
import Subprocess

/// Switches the Wi-Fi radio on and makes NetworkManager reload its profiles. Raspberry Pi OS keeps the radio off until
/// the country is set.
///
///     for note in try await WiFiSwitch(configurationFile: path).turnOn() { print(note) }
///
/// A profile is a file that a sandboxed program can write before NetworkManager runs. This part changes the machine, so
/// it is a separate program (soundbox-wifi.service), which reads only the country.
public struct WiFiSwitch: Sendable {
    /// How a tool ended.
    enum Outcome: Sendable, Equatable {
        case done
        case missing
        case failed(String)
    }

    /// Runs a tool to its end.
    typealias Run = @Sendable (_ tool: String, _ arguments: [String]) async -> Outcome

    private let countryFile: String
    /// The option file of the kernel module, which sets the country when it is loaded.
    private let moduleFile: String
    private let run: Run

    /// For this machine.
    public init(configurationFile: String) {
        self.init(
            configurationFile: configurationFile, moduleFile: "/etc/modprobe.d/soundbox-wifi.conf", run: Self.run)
    }

    init(configurationFile: String, moduleFile: String, run: @escaping Run) {
        countryFile = Self.countryFile(configurationFile)
        self.moduleFile = moduleFile
        self.run = run
    }

    /// Written with a profile; ``turnOn()`` reads and removes it.
    static func countryFile(_ configurationFile: String) -> String {
        "\(SmallFile.folder(of: configurationFile))/wifi-country"
    }

    /// Sets the country and switches the radio on, if a new profile was installed.
    /// - Returns: what was done, and problems that do not prevent it.
    /// - Throws: if NetworkManager does not reload; the next start tries again.
    public func turnOn() async throws -> [String] {
        guard let text = try? await onOwnThread(named: "wi-fi", { [countryFile] in try SmallFile.read(countryFile) })
        else { return ["there is no new Wi-Fi network"] }
        let country = text.trimmed
        guard WiFiNetwork.isCountry(country) else {
            unlink(countryFile)
            throw SetupError("\(countryFile): expected a country of ISO 3166")
        }
        var notes = try await setCountry(country)
        for arguments in [["connection", "reload"], ["radio", "wifi", "on"]] {
            switch await run("nmcli", arguments) {
            case .done: continue
            case .missing: throw SetupError("nmcli is missing; Wi-Fi is not switched on")
            case .failed(let reason): throw SetupError("NetworkManager cannot be told of the network: \(reason)")
            }
        }
        unlink(countryFile)
        notes.append("Wi-Fi is on, for the country \(country)")
        return notes
    }

    private func setCountry(_ country: String) async throws -> [String] {
        switch await run("raspi-config", ["nonint", "do_wifi_country", country]) {
        case .done: return []
        case .failed(let reason): return ["raspi-config could not set the country: \(reason)"]
        case .missing: break
        }
        var notes: [String] = []
        do {
            try await onOwnThread(named: "wi-fi") { [moduleFile] in
                try SmallFile.replace(
                    moduleFile, with: "options cfg80211 ieee80211_regdom=\(country)\n", mode: 0o644, owner: nil)
            }
        } catch { notes.append("the country is not kept for the next start: \(error)") }
        for (tool, arguments) in [("iw", ["reg", "set", country]), ("rfkill", ["unblock", "wifi"])] {
            if case .failed(let reason) = await run(tool, arguments) { notes.append("\(tool): \(reason)") }
        }
        return notes
    }

    private static func run(_ tool: String, _ arguments: [String]) async -> Outcome {
        do {
            let result = try await Subprocess.run(
                .name(tool), arguments: Arguments(arguments), output: .discarded, error: .string(limit: 65_536))
            if result.terminationStatus.isSuccess { return .done }
            return .failed(result.standardError.trimmed.replacing("\n", with: "; "))
        } catch { return .missing }
    }
}
