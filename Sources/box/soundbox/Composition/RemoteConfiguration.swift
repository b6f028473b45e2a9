import Logging
import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import Synchronization

/// `soundbox.yaml` with the remote settings that are in force or on trial.
struct RemoteConfiguration {
    let configuration: Configuration
    /// The last volume of the box; otherwise the one of the file. Settings on trial apply theirs later.
    let volume: Volume
    /// Why the remote settings in force are unknown; then only `soundbox.yaml` counts.
    let warning: String?
    private let record: SettingsRecord
    private let file: SettingsFile
    private let volumeFile: StateFile<Volume>

    /// Gives up settings on trial at once if no box can be made with them. Blocks on the disk.
    ///
    /// - Parameter written: only the content of `path`.
    /// - Throws: if another box runs with the same state.
    init(over written: Configuration, from path: String, logger: Logger) throws {
        file = SettingsFile(inStateDirectory: written.stateDirectory)
        let directory = try StateDirectory(path: written.stateDirectory)
        // Before later settings are read: the volume of another merchant must not be used.
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
        // This volume comes from settings that are not in force.
        if known == settings.writtenVolume, known != settings.inForce?.volume { known = nil }
        volume = known ?? settings.volume ?? written.audio.volume
        // Settings in force stay stored: the missing part may come back.
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

    func store(for path: String) -> any SettingsStore {
        RemoteSettingsFiles(record: record, path: path, file: file, volumeFile: volumeFile)
    }

    /// - Throws: ``SettingsProblem``, why no box can be made with them.
    fileprivate static func configuration(
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

private struct RemoteSettingsFiles: SettingsStore {
    let record: SettingsRecord
    /// Of the configuration.
    let path: String
    let file: SettingsFile
    let volumeFile: StateFile<Volume>
    private let voices = CheckedVoices()

    init(record: SettingsRecord, path: String, file: SettingsFile, volumeFile: StateFile<Volume>) {
        (self.record, self.path, self.file, self.volumeFile) = (record, path, file, volumeFile)
    }

    func problem(with settings: RemoteSettings) -> String? {
        do { _ = try RemoteConfiguration.configuration(with: settings, in: path, voices) } catch { return "\(error)" }
        return nil
    }

    func write(_ record: SettingsRecord) throws { try file.write(record) }

    func keep(_ volume: Volume) throws { try volumeFile.write(volume) }
}

/// Remembers voices that were checked: reading one is slow, and many settings in a row must not delay payments.
private final class CheckedVoices: Sendable {
    private let known = Mutex<Set<[String]>>([])

    /// Throws the problem with a choice of voices. Blocks on the disk, once for each voice.
    func check(_ choice: Configuration.VoiceChoice) throws {
        for locale in choice.locales {
            let name = [choice.directory, locale, choice.speakers[locale] ?? ""]
            guard !known.withLock({ $0.contains(name) }) else { continue }
            var one = choice
            one.locales = [locale]
            try InstalledVoices.check(one)
            known.withLock { _ = $0.insert(name) }
        }
    }
}

/// Why remote settings cannot be used, in words for their sender.
struct SettingsProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
