import ArgumentParser
import SoundboxCommandLine
import SoundboxSetup

struct TurnOnWiFi: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wifi", abstract: "Switch Wi-Fi on for a network that setup import has added.",
        discussion: """
            Sets the country, without which Raspberry Pi OS keeps the radio off, and tells NetworkManager of the \
            network. soundbox-wifi.service does this after a first boot; it can be repeated when that has failed.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    func run() async throws {
        for line in try await WiFiSwitch(configurationFile: configuration.config).turnOn() { printLine(line) }
    }
}
