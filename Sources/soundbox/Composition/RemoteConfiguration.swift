import Logging
import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import Synchronization

/// What `soundbox.yaml` says, with the settings from afar that are in force or on trial.
struct RemoteConfiguration {
    let configuration: Configuration
    /// What the box was set to last; where nobody has set it, what the file says. Settings on trial bring theirs later.
    let volume: Volume
    /// Why nobody knows what settings were in force; `soundbox.yaml` then counts alone.
    let warning: String?
    private let record: SettingsRecord
    private let file: SettingsFile
    let volumeFile: StateFile<Volume>

    /// Settings on trial with which no box can be made are given up at once. Blocks on the disk.
    ///
    /// - Parameter written: what is in `path`, alone.
    /// - Throws: when another box runs on the same state.
    init(over written: Configuration, from path: String, logger: Logger) throws {
        file = SettingsFile(inStateDirectory: written.stateDirectory)
        let directory = try StateDirectory(path: written.stateDirectory)
        // Before anything is read that was set at the box: another merchant's volume is not for this one.
        if let note = try directory.claim(for: written.merchantID) { logger.warning("\(note)") }
        volumeFile = StateFile.volume(in: directory.path)
        var (record, warning): (SettingsRecord?, String?)
        do { record = try file.read() } catch {
            warning = "settings from afar are lost, soundbox.yaml counts alone; send them again: \(error)"
            logger.error("settings from afar are lost", metadata: ["reason": "\(error)"])
        }
        var settings = SettingsRecord(owner: written.settingsOwner)
        if let record, record.owner == settings.owner { settings = record }
        let isTrial = settings.result == .trial
        settings.willStart()
        var configuration = written
        while let candidate = settings.current {
            do {
                configuration = try Self.configuration(with: candidate, in: path, CheckedVoices())
                break
            } catch {
                logger.error("settings from afar cannot be used", metadata: ["reason": "\(error)"])
                let hadFailed = settings.result == .failed
                settings.fail("\(error)")
                if hadFailed { break }
            }
        }
        var known = volumeFile.read()
        // Settings that are not in force have left it.
        if known == settings.writtenVolume, known != settings.inForce?.volume { known = nil }
        volume = known ?? settings.volume ?? written.audio.volume
        // Those in force stay written down: what they need may come back.
        if isTrial {
            do {
                if settings.result == .failed, settings.writtenVolume != settings.inForce?.volume {
                    try volumeFile.write(volume)
                    settings.willWrite(settings.inForce?.volume)
                }
                try file.write(settings)
            } catch { logger.error("settings from afar cannot be kept", metadata: ["reason": "\(error)"]) }
        }
        (self.configuration, self.warning, self.record) = (configuration, warning, settings)
    }

    func store(for path: String) -> SettingsStore {
        let voices = CheckedVoices()
        return SettingsStore(record: record) { settings in
            do { _ = try Self.configuration(with: settings, in: path, voices) } catch { return "\(error)" }
            return nil
        } write: { [file] in
            try file.write($0)
        } keepVolume: { [volumeFile] in
            try volumeFile.write($0)
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
