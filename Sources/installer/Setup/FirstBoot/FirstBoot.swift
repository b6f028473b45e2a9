import Glibc
import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// Setup without a keyboard: from a provisioning file or a claim on the FAT partition, `/boot/firmware/soundbox`.
///
///     switch try FirstBoot.run(folder: "/boot/firmware/soundbox", configuration: path) {
///     case .imported(let file, _, _): print("installed \(file)")
///     default: break
///     }
public enum FirstBoot {
    static let claimName = "claim.yaml"
    static let errorName = "soundbox-error.txt"

    public enum Outcome: Sendable, Equatable {
        case nothingToDo
        /// The setup is installed. `changed` tells whether it differed; `notice` tells what this machine cannot do.
        case imported(from: String, changed: Bool, notice: String? = nil)
        /// The setup is installed where a power cut deletes it, so the file stays. `because` gives the reason.
        case kept(String, because: String, notice: String? = nil)
        /// The claim is installed; ``Enrolment`` continues with it.
        case claimed(from: String, notice: String? = nil)
    }

    /// Installs the provisioning file of `folder` and removes it from there. Blocks on the disk.
    ///
    /// The file is removed only after everything is on the disk, so a power cut in between repeats the import. After an
    /// error the file stays, with an explanation beside it for the person who takes the card out. If the folder of the
    /// setup is in RAM, the file stays too: it is then the only copy, and each start installs it again.
    public static func run(folder: String, configuration path: String) throws -> Outcome {
        try run(folder: folder, configuration: path, profiles: WiFiProfiles())
    }

    /// - Parameter powerLoss: the effect of a power cut on a folder.
    static func run(
        folder: String, configuration path: String, profiles: WiFiProfiles = WiFiProfiles(),
        powerLoss: (String) -> PowerLoss = PowerLoss.init(in:)
    ) throws -> Outcome {
        let found = CardFiles((try? SmallFile.names(in: folder)) ?? [])
        let claim = "\(folder)/\(found.claims.first ?? claimName)"
        guard let name = found.setups.first ?? found.claims.first ?? found.nearMisses.first else {
            return .nothingToDo
        }
        let file = "\(folder)/\(name)"
        let errorFile = "\(folder)/\(errorName)"
        // Before new files are written: a reset would remove them.
        do { try Provisioning.finishReset(path) } catch {
            explain(error, outcome: "nothing was changed", in: errorFile)
            throw error
        }
        // A file of zeros counts as erased only if its setup is installed: a copy whose content never reached the card
        // is zeros too.
        let isTaken = SmallFile.exists(path) || file == claim && SmallFile.exists(ClaimFile.path(beside: path))
        if isTaken, isErased(file) {
            // A power cut interrupted the removal. Everything was on the disk before.
            unlink(file)
            unlink(errorFile)
            return .nothingToDo
        }
        if let problem = found.problem(in: folder) {
            let error = SetupError(problem)
            explain(error, outcome: "nothing was changed", in: errorFile)
            throw error
        }
        if file == claim { return try moveClaim(file, to: path, profiles, powerLoss, errorFile) }
        let changed: [String]
        let notice: String?
        var plan: ProvisioningPlan
        do { plan = try Provisioning.plan(file, to: path) } catch {
            explain(error, outcome: "nothing was changed", in: errorFile)
            throw error
        }
        plan.profiles = profiles
        notice = plan.notice
        do { changed = try plan.write() } catch {
            explain(error, outcome: "some of its files may have been written already", in: errorFile)
            throw error
        }
        let setupFolder = SmallFile.folder(of: path)
        if case .gone(let reason) = powerLoss(setupFolder) {
            let reason = "\(setupFolder): \(reason)"
            explainKeeping(reason, notice: notice, in: errorFile)
            return .kept(file, because: reason, notice: notice)
        }
        let bringsSetup = plan.setup != nil
        // At the next start, a claim beside it would replace this setup.
        if bringsSetup, SmallFile.exists(claim) { try erase(claim) }
        try erase(file)
        unlink(errorFile)
        // The file has only network settings, for a box that enrols.
        if !bringsSetup, SmallFile.exists(claim) {
            let outcome = try moveClaim(claim, to: path, profiles, powerLoss, errorFile)
            if let notice {
                leave("The box takes its claim from this card, but for this:\n\n\(notice)\n", in: errorFile)
            }
            return outcome
        }
        if let notice { leave("The box is set up with this card, but for this:\n\n\(notice)\n", in: errorFile) }
        return .imported(from: file, changed: !changed.isEmpty, notice: notice)
    }

    /// Moves a claim from the partition. It stays there if a power cut would delete it: the box could not be enrolled.
    private static func moveClaim(
        _ file: String, to path: String, _ profiles: WiFiProfiles, _ powerLoss: (String) -> PowerLoss,
        _ errorFile: String
    ) throws -> Outcome {
        let claim: Claim
        var network: ProvisioningPlan?
        do {
            claim = try Claim(parsing: try WholeFile.read(file), file: file)
            let folder = SmallFile.folder(of: path)
            if case .gone(let reason) = powerLoss(folder) {
                throw SetupError("\(folder): \(reason); turn the overlay file system off (sudo raspi-config)")
            }
            network = try claim.network.map { try ProvisioningPlan(parsing: $0.text, file: file, to: path) }
        } catch {
            explain(error, outcome: "nothing was changed", in: errorFile)
            throw error
        }
        network?.profiles = profiles
        let notice = network?.notice
        do {
            try SmallFile.createFolder(of: path, mode: 0o750, owner: FileOwners.installed.settings)
            try SmallFile.replace(ClaimFile.path(beside: path), with: claim.text, mode: 0o600, owner: nil)
            try network?.write()
        } catch {
            explain(error, outcome: "some of its files may have been written already", in: errorFile)
            throw error
        }
        try erase(file)
        unlink(errorFile)
        if let notice { leave("The box takes its claim from this card, but for this:\n\n\(notice)\n", in: errorFile) }
        return .claimed(from: file, notice: notice)
    }

    private static func explain(_ error: any Error, outcome: String, in file: String) {
        leave(
            """
            The box could not be set up with this card: \(outcome).

            \(error)

            Correct what it says, put the card back and start the box again.

            """, in: file)
    }

    private static func explainKeeping(_ reason: String, notice: String?, in file: String) {
        leave(
            """
            The box is set up, but not for good: the next power cut takes the setup away.

            \(reason)

            So the file with the secrets stays on this card, and each start takes it over again. Turn the overlay file
            system off (sudo raspi-config) and start the box again: it then removes the file.
            \(notice.map { "\n\($0)\n" } ?? "")
            """, in: file)
    }

    private static func leave(_ text: String, in file: String) {
        let text = text.replacing("\n", with: "\r\n")
        // Do not write the same text at each start: a power cut may damage FAT.
        guard (try? SmallFile.read(file)) != text else { return }
        // CR LF, because the card may be opened on Windows. If this file cannot be written, the journal still has the
        // error.
        try? SmallFile.replace(file, with: text, mode: nil, owner: nil)
    }

    /// Whether ``erase(_:)`` has overwritten the file.
    private static func isErased(_ file: String) -> Bool {
        guard let bytes = try? SmallFile.bytes(of: file, limit: 1 << 20), !bytes.isEmpty else { return false }
        return bytes.allSatisfy { $0 == 0 }
    }

    /// Overwrites a file and removes it. FAT writes in place. Copies of the card's wear levelling remain;
    /// docs/install.md says so.
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

/// A unique name of this machine, for the device id of a new box:
///
///     HardwareIdentity().deviceID  // "box-0000a1b2c3d4"
public struct HardwareIdentity: Sendable {
    private let read: @Sendable (String) -> String?

    /// This machine.
    public init() { self.init { try? SmallFile.read($0) } }

    /// - Parameter read: returns the content of a file, or `nil`.
    init(read: @escaping @Sendable (String) -> String?) { self.read = read }

    /// `box-` and the last twelve characters of the board's serial number, otherwise of the machine id; `nil` if the
    /// system has neither. Blocks on the disk.
    public var deviceID: String? {
        for path in ["/proc/device-tree/serial-number", "/sys/class/dmi/id/product_serial", "/etc/machine-id"] {
            // The device tree ends its texts with a zero byte. Boards without a number have a text with blanks, or with
            // one or two different characters.
            let text = (read(path) ?? "").filter { $0 != "\0" }.trimmed.lowercased()
            let isSerial = text.count >= 8 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            guard isSerial, Set(text).count > 2 else { continue }
            return "box-\(text.suffix(12))"
        }
        return nil
    }
}
