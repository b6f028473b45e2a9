import Glibc
import SoundboxConfiguration
import SoundboxControl
import SoundboxCore
import SoundboxMQTT
import SoundboxSystem

/// Checks one box completely:
///
///     let report = await Doctor(configurationFile: "/etc/soundbox/soundbox.yaml").examine()
///     print(report.text(colored: false))
public struct Doctor: Sendable {
    private let configurationFile: String
    private let socketPath: String?

    /// - Parameters:
    ///   - configurationFile: `soundbox.yaml`; it need not exist.
    ///   - socketPath: replaces the configured control socket.
    public init(configurationFile: String, socketPath: String? = nil) {
        self.configurationFile = configurationFile
        self.socketPath = socketPath
    }

    /// Checks everything and changes nothing. The timeouts of ``BrokerCheck/run()`` dominate its duration.
    public func examine() async -> DoctorReport {
        var report = DoctorReport()
        let configuration: Configuration
        do {
            configuration = try await onOwnThread(named: "doctor") { [configurationFile] in
                try Configuration(readingFile: configurationFile)
            }
            report.findings.append(Finding("configuration", .green, configurationFile))
        } catch {
            let isMissing = !SmallFile.exists(configurationFile)
            report.findings = [
                Finding(
                    "configuration", .red,
                    isMissing ? "this box is not set up: there is no \(configurationFile)" : "\(error)",
                    advice: isMissing ? "run: sudo soundbox setup" : "correct this line, or run: sudo soundbox setup"),
                SystemChecks.card(), SystemChecks.clock(box: report.status?.clock), SystemChecks.versions(),
            ].compactMap(\.self)
            return report
        }

        let presence: BoxPresence
        do {
            let status = try await ControlClient(socketPath: socketPath ?? configuration.controlSocket).status()
            report.status = status
            presence = BoxPresence(.success(status))
        } catch {
            presence = BoxPresence(.failure(error))
            report.findings.append(
                Finding("running box", .red, error.reason, advice: "see: systemctl status soundbox"))
        }
        if let status = report.status { report.findings.append(Self.finding(about: status)) }

        let view = ServiceView.installed(for: configurationFile)
        var checks = SetupChecks(configuration: configuration, boxIsRunning: report.status != nil)
        checks.service = view
        checks.configurationFile = configurationFile
        report.findings.append(checks.secrets())
        report.findings += [SystemChecks.card()].compactMap(\.self)
        report.findings.append(SystemChecks.clock(box: report.status?.clock))
        report.findings.append(NetworkCheck.finding(await NetworkCheck.links()))
        do {
            let settings = try await onOwnThread(named: "doctor") {
                try ServiceView.withRights(of: view) { try MQTTSettings(configuration) }
            }
            report.findings += await BrokerCheck(settings: settings, presence: presence).run()
        } catch {
            report.findings.append(Finding("broker", .red, "\(error)"))
        }
        let storage = StorageCheck(
            stateDirectory: configuration.stateDirectory, setupFolder: SmallFile.folder(of: configurationFile))
        let findings = try? await onOwnThread(named: "doctor") { [checks] in
            // With the rights of the box's user: only files that the box can open count, and links in that user's
            // folders must not be followed as root.
            try ServiceView.withRights(of: view) {
                [
                    checks.inbox(), SystemChecks.disk(configuration.stateDirectory), storage.finding(), checks.board(),
                    checks.voice(), checks.currency(), checks.timeZone(),
                    checks.helper(), UpdateCheck().finding(at: Int64(time(nil))),
                ].compactMap(\.self)
            }
        }
        report.findings += findings ?? []
        report.findings += await SoundChecks(audio: configuration.audio, status: report.status).findings()
        report.findings.append(SystemChecks.versions())
        return report
    }

    /// The finding about the running box.
    static func finding(about status: BoxStatus) -> Finding {
        if let faults = status.faults, let fault = faults.first {
            return Finding(
                "running box", .red, (faults + (status.warnings ?? [])).joined(separator: "; "),
                advice: advice(for: fault))
        }
        guard status.isOnline else {
            return Finding("running box", .red, status.connection ?? "offline", advice: "see what is red below")
        }
        let volumeWarning = status.volumeWarning
        if let warnings = status.warnings, warnings.contains(where: { $0 != volumeWarning }) {
            return Finding(
                "running box", .amber, "online, and payments may go astray: \(warnings.joined(separator: "; "))",
                advice: status.noticesRefused == nil
                    ? "ask who runs the broker, and who publishes the payments"
                    : "ask who publishes the payments; see: Why was nothing heard? (docs/messages.md)")
        }
        if status.isMuted == true {
            return Finding("running box", .amber, "online, and muted", advice: "run: soundbox volume unmute")
        }
        let volume = status.volume ?? 0
        if let volumeWarning {
            return Finding(
                "running box", .amber, "online, and \(volumeWarning)",
                advice: volume < BoxStatus.leastVolume
                    ? "run: soundbox volume 80" : "change the quiet hours if it is to be heard now")
        }
        return Finding("running box", .green, "online, volume \(volume), \(status.counts?.waiting ?? 0) waiting")
    }

    private static func advice(for fault: String) -> String {
        fault.contains("audio device")
            ? "check the card and its cable; the box tries again by itself" : "see the log: journalctl -u soundbox"
    }
}

/// The result of a check.
public struct DoctorReport: Sendable {
    public var findings: [Finding]
    /// The status of the running box; `nil` if none runs.
    public var status: BoxStatus?

    public init(findings: [Finding] = []) { self.findings = findings }

    /// The worst level of the findings.
    public var level: Finding.Level { findings.map(\.level).max() ?? .green }

    public var json: JSONValue {
        .object([
            ("level", .string(level.rawValue)), ("version", .string(SoundboxVersion.current)),
            ("findings", .array(findings.map(\.json))), ("status", status?.json ?? .null),
        ])
    }

    /// One line for each finding, and one for its advice. Control characters in text from brokers and certificates are
    /// escaped.
    ///
    /// - Parameter colored: with terminal colours.
    public func text(colored: Bool) -> String {
        let width = findings.map(\.area.count).max() ?? 0
        return findings.map { finding in
            let mark =
                switch finding.level {
                case .green: colored ? "\u{1B}[32m●\u{1B}[0m" : "ok  "
                case .amber: colored ? "\u{1B}[33m●\u{1B}[0m" : "look"
                case .red: colored ? "\u{1B}[31m●\u{1B}[0m" : "BAD "
                }
            let area = finding.area + String(repeating: " ", count: width - finding.area.count)
            let advice = finding.advice.map { "\n     → \($0.printable)" } ?? ""
            return "\(mark) \(area)  \(finding.detail.printable)\(advice)"
        }.joined(separator: "\n")
    }
}
