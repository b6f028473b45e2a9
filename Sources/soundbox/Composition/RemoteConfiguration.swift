import Logging
import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import Synchronization

/// What `soundbox.yaml` says, with the settings from afar that are in force or on trial.
struct RemoteConfiguration {
    let configuration: Configuration
    /// Why settings that were in force cannot be used; `soundbox.yaml` then counts alone.
    let warning: String?
    private let record: SettingsRecord
    private let file: SettingsFile

    /// Settings on trial with which no box can be made are given up at once. Blocks on the disk.
    ///
    /// - Parameter written: what is in `path`, alone.
    /// - Throws: when another box runs on the same state.
    init(over written: Configuration, from path: String, logger: Logger) throws {
        _ = try StateDirectory(path: written.stateDirectory)
        file = SettingsFile(inStateDirectory: written.stateDirectory)
        let found = file.read().flatMap { $0.owner == written.settingsOwner ? $0 : nil }
        var record = found ?? SettingsRecord(owner: written.settingsOwner)
        var (configuration, warning): (Configuration, String?) = (written, nil)
        record.willStart()
        while let settings = record.current {
            do {
                configuration = try Self.configuration(with: settings, in: path, CheckedVoices())
                break
            } catch {
                logger.error("settings from afar cannot be used", metadata: ["reason": "\(error)"])
                guard record.trial != nil else {
                    warning =
                        "the settings \(settings.id) from afar cannot be used, soundbox.yaml counts alone: \(error)"
                    break
                }
                record.fail("\(error)")
            }
        }
        if record != found, record.newest != nil {
            do { try file.write(record) } catch {
                logger.error("settings from afar cannot be kept", metadata: ["reason": "\(error)"])
            }
        }
        (self.configuration, self.warning, self.record) = (configuration, warning, record)
    }

    func desk(for path: String) -> SettingsDesk {
        let voices = CheckedVoices()
        return SettingsDesk(record: record) { settings in
            do { _ = try Self.configuration(with: settings, in: path, voices) } catch { return "\(error)" }
            return nil
        } write: { [file] in
            try file.write($0)
        }
    }

    /// - Throws: ``SettingsProblem``, what keeps a box from being made with them.
    private static func configuration(
        with settings: RemoteSettings, in path: String, _ voices: CheckedVoices
    ) throws(SettingsProblem) -> Configuration {
        let configuration: Configuration
        do throws(YAMLError) { configuration = try Configuration(readingFile: path, with: settings) } catch {
            throw SettingsProblem("settings.\(error.key): \(error.problem)")
        }
        do { try voices.check(configuration.voice) } catch { throw SettingsProblem("settings.voice: \(error)") }
        return configuration
    }
}

/// Voices that a box can speak with, as far as they were looked at: reading one takes long enough to hold payments up when
/// settings come by the dozen.
private final class CheckedVoices: Sendable {
    private let known = Mutex<Set<[String]>>([])

    /// Throws what is wrong with a choice of voices. Blocks on the disk, once for each voice.
    func check(_ choice: Configuration.VoiceChoice) throws {
        for locale in choice.locales {
            let name = [choice.directory, locale, choice.speakers[locale] ?? ""]
            guard !known.withLock({ $0.contains(name) }) else { continue }
            var one = choice
            one.locales = [locale]
            try ConfiguredBox.check(one)
            known.withLock { _ = $0.insert(name) }
        }
    }
}

/// Why settings from afar cannot be used, in words for whoever sent them.
struct SettingsProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
