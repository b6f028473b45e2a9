import SoundboxCore
import SoundboxYAML

extension Configuration {
    /// What `soundbox.yaml` says, with settings from afar in place of some of it, read and checked like the file alone.
    /// Blocks on the disk.
    ///
    /// - Throws: for settings that cannot be used, an error whose key is theirs. Its line means nothing.
    package init(readingFile path: String, with settings: RemoteSettings) throws(YAMLError) {
        var document = try YAMLDocument(readingFile: path)
        for key in RemoteSettings.keys {
            guard let value = settings[key] else { continue }
            // The volume acts once, when the settings come; afterwards the shop may turn it.
            if key == ["audio", "volume"], value == .null { continue }
            document.set(value, at: key)
        }
        try self.init(parsing: document.text, file: path)
    }

    /// Whose settings they are: those of a box that was set up for somebody else count no longer.
    package var settingsOwner: String { "\(merchantID)/\(deviceID)" }

    /// What the keys of ``RemoteSettings`` hold, in the shape that sets them, but for the volume. `null` where a key is
    /// not set, so that whatever is told can be sent back.
    package var settable: JSONValue {
        let speakers = voice.speakers.sorted { $0.key < $1.key }.map {
            (name: $0.key, value: JSONValue.string($0.value))
        }
        let prompts = announce.networkPrompts
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
                    ("expire_after", .string("\(announce.freshness.expireAfter.components.seconds)s")),
                    (
                        "prompts",
                        .object([("network", .bool(prompts.saysNetwork)), ("ready", .bool(prompts.saysReady))])
                    ), ("quiet_hours", announce.quietHours?.json ?? .null),
                ])
            ),
        ])
    }
}
