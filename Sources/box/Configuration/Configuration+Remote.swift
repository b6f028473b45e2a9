import SoundboxBox
import SoundboxCore
import SoundboxYAML

extension Configuration {
    /// `soundbox.yaml` with remote settings in place of some keys, read and checked like the file alone. Blocks on the
    /// disk.
    ///
    /// - Throws: for settings that cannot be used, an error with their key. Its line has no meaning.
    package init(readingFile path: String, with settings: RemoteSettings) throws(YAMLError) {
        var document = try YAMLDocument(readingFile: path)
        for key in RemoteSettings.keys {
            guard let value = settings[key] else { continue }
            // The volume acts once, when the settings come; afterwards the shop may change it.
            if key == ["audio", "volume"], value == .null { continue }
            document.set(value, at: key)
        }
        try self.init(parsing: document.text, file: path)
    }

    /// The merchant and device of the settings. Settings for another merchant or device are ignored.
    package var settingsOwner: String { "\(merchantID)/\(deviceID)" }

    /// The values of all ``RemoteSettings`` keys but the volume, in the form that sets them. `null` for a key that is
    /// not set, so that the whole can be sent back.
    package var settable: JSONValue {
        let speakers = voice.speakers.sorted { $0.key < $1.key }.map {
            (name: $0.key, value: JSONValue.string($0.value))
        }
        let prompts = features.networkPrompts
        return .object([
            (
                "voice",
                .object([
                    ("locale", .array(voice.locales.map { .string($0) })),
                    ("speaker", speakers.isEmpty ? .null : .object(speakers)),
                ])
            ),
            (
                "announce",
                .object([
                    ("expire_after", .string("\(features.announcements.freshness.expireAfter.components.seconds)s")),
                    (
                        "prompts",
                        .object([("network", .bool(prompts.saysNetwork)), ("ready", .bool(prompts.saysReady))])
                    ), ("quiet_hours", features.quietHours.hours?.json ?? .null),
                ])
            ),
        ])
    }
}
