import Glibc
import SoundboxCore
import SoundboxSystem
import Subprocess

/// An archive for support, without secrets. It contains amounts and payment ids, because the log does.
///
///     let report = await Doctor(configurationFile: path).examine()
///     try await SupportBundle(configurationFile: path).write(report, to: "support.tar")
public struct SupportBundle: Sendable {
    private let configurationFile: String

    public init(configurationFile: String) { self.configurationFile = configurationFile }

    /// Writes the archive, readable only by its owner. Refuses to replace a file.
    public func write(_ report: DoctorReport, to path: String) async throws {
        var archive = TarArchive()
        let now = time(nil)
        let configuration = try? await onOwnThread(named: "bundle") { [configurationFile] in
            try ShownConfiguration(readingFile: configurationFile)
        }
        func add(_ name: String, _ text: String) {
            let text = configuration?.removingSecrets(from: text) ?? text
            archive.add("soundbox-support/\(name)", Array(text.utf8), time: now)
        }
        add("doctor.txt", report.text(colored: false) + "\n")
        add("doctor.json", report.json.text + "\n")
        if let configuration { add("soundbox.yaml", configuration.text) }
        if let log = await Self.output("journalctl", "--unit=soundbox", "--lines=5000", "--no-pager") {
            add("log.txt", log)
        }
        if let service = await Self.output("systemctl", "status", "soundbox", "--no-pager") {
            add("service.txt", service)
        }
        let bytes = archive.finished
        try await onOwnThread(named: "bundle") { try Self.write(bytes, to: path) }
    }

    private static func output(_ program: String, _ arguments: String...) async -> String? {
        let result = try? await Subprocess.run(
            .name(program), arguments: Arguments(arguments), output: .string(limit: 4 << 20), error: .discarded)
        return result?.standardOutput
    }

    /// Removes an incomplete file, which would look like an archive.
    private static func write(_ bytes: [UInt8], to path: String) throws {
        func failure() -> SetupError { SetupError("\(path): cannot be written: \(SystemError.last)") }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = failure()
                close(descriptor)
                unlink(path)
                throw error
            }
            rest = rest.dropFirst(count)
        }
        guard close(descriptor) == 0 else { throw failure() }
    }
}
