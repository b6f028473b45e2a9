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

/// A tar archive in memory, in the format of POSIX.1-1988 (ustar).
struct TarArchive: Equatable {
    private(set) var bytes: [UInt8] = []

    /// Adds a file, readable only by its owner.
    ///
    /// - Parameters:
    ///   - name: at most 100 bytes.
    ///   - time: seconds since 1970.
    mutating func add(_ name: String, _ content: [UInt8], time: Int) {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at offset: Int, limit: Int) {
            header.replaceSubrange(offset..<offset + min(limit, text.utf8.count), with: text.utf8.prefix(limit))
        }
        func octal(_ number: Int, _ digits: Int) -> String {
            let text = String(number, radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        put(name, at: 0, limit: 100)
        put(octal(0o600, 7), at: 100, limit: 7)
        put(octal(0, 7), at: 108, limit: 7)
        put(octal(0, 7), at: 116, limit: 7)
        put(octal(content.count, 11), at: 124, limit: 11)
        put(octal(time, 11), at: 136, limit: 11)
        put("0", at: 156, limit: 1)
        put("ustar\u{0}00", at: 257, limit: 8)
        // The checksum is computed with blanks in its own field.
        put("        ", at: 148, limit: 8)
        let sum = header.reduce(0) { $0 + Int($1) }
        put(octal(sum, 6) + "\u{0} ", at: 148, limit: 8)
        bytes += header + content
        bytes += [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
    }

    /// The archive with its end mark.
    var finished: [UInt8] { bytes + [UInt8](repeating: 0, count: 1024) }
}
