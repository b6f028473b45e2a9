import Glibc
import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxGPIO
import SoundboxSpeech
import SoundboxStore
import SoundboxSystem
import SoundboxVoice

/// Checks the parts of the setup that need no network. Every check blocks on the disk.
struct SetupChecks {
    let configuration: Configuration
    /// A running box holds the sound card and the GPIO lines.
    let boxIsRunning: Bool
    /// The service's view of the files; `nil` if the box is not a service.
    var service: ServiceView?
    var configurationFile: String?

    func secrets() -> Finding {
        let broker = configuration.broker
        let authenticity = configuration.authenticity
        let files = [
            configurationFile, broker.passwordFile, broker.tls.caFile, broker.tls.certFile, broker.tls.keyFile,
            authenticity?.keyFile, authenticity?.nextKeyFile,
        ]
        for file in files.compactMap(\.self) {
            guard let problem = service?.problem(file) else { continue }
            return Finding("secrets", .red, "\(file.shownPath): \(problem)", advice: "run: sudo soundbox setup")
        }
        var hasOuterBlank = false
        if let path = broker.passwordFile {
            do { hasOuterBlank = try SecretFile(path: path).read().hasOuterBlank } catch {
                return Finding("secrets", .red, "\(error)")
            }
        }
        if let path = broker.tls.keyFile {
            var attributes = stat()
            guard stat(path, &attributes) == 0 else {
                return Finding("secrets", .red, "key file \(path.shownPath): \(SystemError.last)")
            }
            guard attributes.st_mode & 0o077 == 0 else {
                return Finding(
                    "secrets", .red, "key file \(path): others than its owner may read it",
                    advice: "run: sudo chmod 600 \(path)")
            }
        }
        if let authenticity = configuration.authenticity {
            do { _ = try authenticity.readKeys() } catch { return Finding("secrets", .red, "\(error)") }
        }
        if hasOuterBlank, let path = broker.passwordFile {
            return Finding(
                "secrets", .amber, "password file \(path.shownPath): \(SetupTrial.outerBlank)",
                advice: "if it is not meant, remove it from the file and run: sudo systemctl restart soundbox")
        }
        let count = [broker.passwordFile, broker.tls.keyFile, authenticity?.keyFile, authenticity?.nextKeyFile]
            .compactMap(\.self).count
        return Finding("secrets", .green, count == 0 ? "there are none" : "readable by the box only")
    }

    func inbox() -> Finding {
        let path = "\(configuration.stateDirectory)/inbox.sqlite"
        guard SmallFile.exists(path) else {
            if StateDirectory.expectsInbox(in: configuration.stateDirectory) {
                return Finding(
                    "inbox", .red, "\(path) is gone: payments that waited in it are not announced",
                    advice: "put a backup back before the box starts; otherwise the box makes a new one")
            }
            return Finding("inbox", .green, "\(path) is not there yet; the box makes it at its first start")
        }
        var attributes = stat()
        guard stat(path, &attributes) == 0, attributes.st_mode & S_IFMT == S_IFREG else {
            return Finding("inbox", .red, "\(path) is no file", advice: "move it away; the box makes a new one")
        }
        do {
            let inspection = try InboxInspection(path: path)
            let counts = inspection.counts
            let detail =
                "\(counts.announced) announced, \(counts.waiting) waiting, \(counts.receiptsWaiting) receipts to be sent"
            guard inspection.problems.isEmpty else {
                return Finding(
                    "inbox", .red, "\(path): \(inspection.problems.joined(separator: "; "))",
                    advice:
                        "stop the box, keep a copy of the file, and see \"The inbox is damaged\" in docs/operations.md")
            }
            return Finding("inbox", .green, detail)
        } catch {
            return Finding("inbox", .red, "\(error)", advice: "run this as root or as a member of the group soundbox")
        }
    }

    func board() -> Finding {
        let layout: BoardLayout
        do { layout = try BoardFile.read(name: configuration.board, in: configuration.boardDirectory) } catch {
            return Finding("board", .red, "\(error)")
        }
        guard layout.hasPanel else { return Finding("board", .green, "\(layout.name): no lights and no buttons") }
        guard !boxIsRunning else { return Finding("board", .green, "\(layout.name), in the box's hands") }
        do {
            try GPIOPanel(layout).close()
            return Finding("board", .green, "\(layout.name): every line can be used")
        } catch {
            return Finding(
                "board", .red, "\(layout.name): \(error)",
                advice: "check the wiring (board/README.md) and that this user is in the group gpio")
        }
    }

    /// Whether the helper program is installed. It makes the sound of texts without recordings, and of clips.
    func helper(_ program: String = InstalledFolders.speakProgram) -> Finding {
        guard access(program, X_OK) != 0 else { return Finding("helper", .green, program) }
        let reason = SystemError.last
        let isWanted = configuration.features.clips != nil
        return Finding(
            "helper", isWanted ? .amber : .green,
            "\(program): \(reason); of texts without recordings the box says that there is a message"
                + (isWanted ? ", and clips are refused" : ""),
            advice: isWanted ? "run: sudo apt install soundbox-speak" : nil)
    }

    /// Whether payments that name no currency are said in one of another country than the voice's: `nil` for no. The
    /// installed voices tell which languages a currency is said in; English is also spoken where the euro is paid.
    func currency() -> Finding? {
        let folder = VoiceFolder(path: configuration.voice.directory)
        let code = configuration.features.announcements.currency.code
        func language(_ locale: String) -> Substring { locale.prefix { $0 != "-" } }
        let locales = configuration.voice.locales
        let languages = Set(locales.map(language))
        let usual = locales.compactMap { folder.currency(of: $0) }
        guard let own = usual.first, !usual.contains(code), code != "EUR" || !languages.contains("en") else {
            return nil
        }
        let others = Set(folder.locales.filter { folder.currency(of: $0) == code }.map(language))
        guard !others.isEmpty || code == Configuration.Default.currency.code, others.isDisjoint(with: languages) else {
            return nil
        }
        return Finding(
            "currency", .amber,
            "\(locales.joined(separator: ", ")) says \(code) for payments that name no currency, not \(own)",
            advice: "if the shop is paid in \(own), run: sudo soundbox setup --currency \(own)")
    }

    /// Whether the shop's zone is one whose name misleads: `nil` for no.
    func timeZone(machine: String? = ProcessTimeZone.nameOfMachines) -> Finding? {
        let own = configuration.features.day.timeZone
        return (own ?? machine).flatMap(ProcessTimeZone.surprise).map {
            Finding(
                "time zone", .amber, $0,
                advice: own == nil
                    ? "if that is wrong, run: sudo timedatectl set-timezone, with a place such as Asia/Shanghai"
                    : "if that is wrong, run: sudo soundbox setup --set day.time_zone=, with a place such as "
                        + "Asia/Shanghai")
        }
    }

    func voice() -> Finding {
        let choice = configuration.voice
        do {
            var count = 0
            var names: [String] = []
            var standIns: [StandIn] = []
            for locale in choice.locales {
                let ((voice, problems), standIn) = try VoiceFolder(path: choice.directory)
                    .speaking(locale, speaker: choice.speakers[locale]) { (voice) throws(VoiceError) in
                        try voice.leavingOutUnusableRecordings()
                    }
                guard problems.isEmpty else {
                    return Finding(
                        "voice", .red,
                        "\(voice.name): \(problems.count) recording\(problems.count == 1 ? "" : "s") cannot be played, "
                            + "such as \(problems[0])",
                        advice: repairOfVoice)
                }
                // A running box notices it only with a payment that needs these words.
                if let gap = voice.writer.unrecorded.first {
                    return Finding(
                        "voice", .red, "\(voice.name): voice.yaml: \(gap.key): \(gap.error)", advice: repairOfVoice)
                }
                names.append(voice.name)
                count += voice.recordings.entries.count
                if let standIn { standIns.append(standIn) }
            }
            let detail = "\(names.joined(separator: ", ")), \(count) recordings"
            let notes = standIns.map { "; \($0)" }.joined()
            guard standIns.contains(where: \.isFault) else { return Finding("voice", .green, detail + notes) }
            return Finding(
                "voice", .amber, detail + notes,
                advice: isOfPackages
                    ? "install the package of that speaker, or choose one with: sudo soundbox setup"
                    : "put that speaker's voice there, or choose one with: sudo soundbox setup")
        } catch {
            return Finding("voice", .red, "\(error)", advice: repairOfVoice)
        }
    }

    /// A shop's own voices belong to no package.
    private var isOfPackages: Bool { configuration.voice.directory == InstalledFolders.sounds }

    private var repairOfVoice: String {
        isOfPackages
            ? "install the package of that voice again, or choose another one with: sudo soundbox setup"
            : "mend it there, or return to the voices of the packages with: "
                + "sudo soundbox setup --set voice.directory=\(InstalledFolders.sounds)"
    }
}
