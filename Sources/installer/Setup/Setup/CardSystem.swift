import SoundboxCore
import SoundboxSystem

/// What a provisioning file sets of the system around the box. Only on a card image, whose system is ours: there `sshd`
/// starts when the key's file is there, and the zone's file is read at each start.
struct CardSystem: Sendable, Equatable {
    /// Put there by provisioning/card/make-card.sh.
    static let marker = "/usr/share/soundbox/card-image"

    /// A line of authorized_keys; `nil` leaves the one that is there.
    let sshKey: String?
    /// A name of the time zone database; `nil` leaves the one that is there.
    let timeZone: String?

    /// - Parameter marker: what only a card image has.
    /// - Throws: ``YAMLError``, also on another machine: its keys and its zone are its administrator's.
    init(reading value: YAMLValue, marker: String = marker) throws(YAMLError) {
        let mapping = try value.mapping()
        let (key, zone) = (mapping.optional("ssh_key"), mapping.optional("time_zone"))
        try mapping.refuseOtherKeys()
        guard SmallFile.exists(marker) else {
            throw value.error("only a box on the card image takes this (there is no \(marker)); remove it")
        }
        sshKey = try key?.sshKey()
        timeZone = try zone?.timeZone()
    }

    /// By which the last owner's installer could still log in.
    static func keyFile(beside path: String) -> String { "\(SmallFile.folder(of: path))/authorized_keys" }

    /// The files, beside the setup in `folder`, and what they hold.
    private func files(in folder: String) -> [(path: String, content: String)] {
        [("authorized_keys", sshKey), ("time_zone", timeZone)].compactMap { name, content in
            content.map { ("\(folder)/\(name)", "\($0)\n") }
        }
    }

    /// The paths of what would be written. Blocks on the disk.
    func changes(in folder: String) -> [String] {
        files(in: folder).filter { (try? SmallFile.read($0.path)) != $0.content }.map(\.path)
    }

    /// Writes what differs. Blocks on the disk.
    /// - Returns: the paths that changed.
    func write(in folder: String) throws(FileError) -> [String] {
        let changes = changes(in: folder)
        for file in files(in: folder) where changes.contains(file.path) {
            try SmallFile.replace(file.path, with: file.content, mode: 0o640, owner: FileOwners.installed.settings)
        }
        return changes
    }
}

extension YAMLValue {
    /// Without options (sshd(8), "AUTHORIZED_KEYS FILE FORMAT"), which begin with anything but a type.
    fileprivate func sshKey() throws(YAMLError) -> String {
        let text = try string().trimmed
        let kinds =
            /(ssh-(ed25519|rsa)|ecdsa-sha2-nistp(256|384|521)|sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)/
        guard let kind = text.prefixMatch(of: kinds)?.output.0,
            let key = text[kind.endIndex...].wholeMatch(of: #/ +([A-Za-z0-9+/]+=*)( [^\p{Cc}]*)?/#)?.output.1,
            String(key).isKey(of: String(kind))
        else { throw error("expected a public key as in id_ed25519.pub, in one line: ssh-ed25519 AAAA… name") }
        return text
    }

    fileprivate func timeZone() throws(YAMLError) -> String {
        let text = try string()
        do throws(TimeZoneError) { try ProcessTimeZone.file(of: text) } catch {
            throw self.error("expected a name of the time zone database, such as Asia/Shanghai: \(error)")
        }
        return text
    }
}

extension String {
    /// Whether this is a whole key of that type, in base64: fields with their lengths, of which the first is the type
    /// (RFC 4253, section 6.6; RFC 8709 for Ed25519). sshd ignores any other without a word.
    fileprivate func isKey(of kind: String) -> Bool {
        guard var bytes = Base64.bytes(of: self)?[...] else { return false }
        var fields: [ArraySlice<UInt8>] = []
        while bytes.count >= 4 {
            let length = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard length > 0, bytes.count >= 4 + length else { return false }
            fields.append(bytes.dropFirst(4).prefix(length))
            bytes = bytes.dropFirst(4 + length)
        }
        guard bytes.isEmpty, fields.count >= 2, fields[0].elementsEqual(kind.utf8) else { return false }
        return kind != "ssh-ed25519" || fields.count == 2 && fields[1].count == 32
    }
}
