import CNIOLinux
import Glibc
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// Setup without a keyboard: a provisioning file on the partition that any computer can write, `/boot/firmware/soundbox`.
public enum FirstBoot {
    /// In this order; the first one that is there counts.
    static let names = ["provisioning.yaml", "soundbox.yaml"]
    static let errorName = "soundbox-error.txt"

    public enum Outcome: Sendable, Equatable {
        case nothingToDo
        /// It is installed; whether anything changed by that, and what of it this machine cannot do.
        case imported(from: String, changed: Bool, notice: String? = nil)
    }

    /// Installs the provisioning file of `folder` and removes it from there. Blocks on the disk.
    ///
    /// The file is removed only when everything is on the disk, so that a power cut in between repeats the import. An
    /// error leaves the file as it is, and an explanation beside it for whoever takes the card out again.
    public static func run(folder: String, configuration path: String) throws -> Outcome {
        try run(folder: folder, configuration: path, profiles: WiFiProfiles())
    }

    static func run(folder: String, configuration path: String, profiles: WiFiProfiles) throws -> Outcome {
        guard let file = names.map({ "\(folder)/\($0)" }).first(where: { SmallFile.exists($0) }) else {
            return .nothingToDo
        }
        let errorFile = "\(folder)/\(errorName)"
        let changed: [String]
        let notice: String?
        do {
            var plan = try Provisioning.plan(file, to: path)
            plan.profiles = profiles
            notice = plan.notice
            changed = try plan.write()
        } catch {
            explain(error, in: errorFile)
            throw error
        }
        try erase(file)
        unlink(errorFile)
        if let notice { leave("The box is set up with this card, but for this:\n\n\(notice)\n", in: errorFile) }
        return .imported(from: file, changed: !changed.isEmpty, notice: notice)
    }

    private static func explain(_ error: any Error, in file: String) {
        leave(
            """
            The box could not be set up with this card: nothing was changed.

            \(error)

            Correct the file, put the card back and start the box again.

            """, in: file)
    }

    private static func leave(_ text: String, in file: String) {
        // The card may be opened on Windows, which shows lines by CR LF only. If this file cannot be written either,
        // the journal still has the error.
        try? SmallFile.replace(file, with: text.replacing("\n", with: "\r\n"), mode: nil, owner: nil)
    }

    /// Overwrites a file before removing it. FAT writes in place. Copies that the card's own wear levelling keeps are
    /// out of reach; docs/operations.md says so.
    private static func erase(_ path: String) throws(SetupError) {
        func failure() -> SetupError {
            SetupError("\(path): holds secrets and cannot be removed: \(SystemError.last)")
        }
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw failure() }
        var attributes = stat()
        fstat(descriptor, &attributes)
        let zeros = [UInt8](repeating: 0, count: Int(attributes.st_size))
        let isErased = write(descriptor, zeros, zeros.count) == zeros.count && fsync(descriptor) == 0
        guard close(descriptor) == 0, isErased, unlink(path) == 0 else { throw failure() }
        SmallFile.syncFolder(of: path)
    }
}
