import SoundboxCore
import SoundboxSystem

/// The keys of the boxes: a folder with `{merchant}/{device}.key`, or one file for all of them.
///
/// Read at each use, so that a new key counts at once. Blocks on the disk; any thread.
struct SigningKeys: Sendable {
    /// `nil` signs nothing.
    let path: String?

    /// - Returns: `nil` for a box without a key.
    /// - Throws: why a key that is there cannot be used.
    func key(of box: BoxID) throws(SecretFileError) -> SigningKey? {
        guard let path else { return nil }
        guard SmallFile.exists("\(path)/.") else { return try SigningKey(readingFile: path) }
        let file = "\(path)/\(box.merchant)/\(box.device).key"
        return SmallFile.exists(file) ? try SigningKey(readingFile: file) : nil
    }

    /// How many keys can be used, and what is wrong with the others. Reads all of them.
    /// - Throws: where a folder cannot be read.
    func check() throws(FileError) -> (usable: Int, problems: [String]) {
        guard let path else { return (0, []) }
        var files = [path]
        if SmallFile.exists("\(path)/.") {
            files = []
            for folder in try Self.content(of: path) where SmallFile.exists("\(folder)/.") {
                files += try Self.content(of: folder).filter { $0.hasSuffix(".key") }
            }
        }
        var problems: [String] = []
        for file in files {
            do throws(SecretFileError) { _ = try SigningKey(readingFile: file) } catch { problems.append("\(error)") }
        }
        return (files.count - problems.count, problems)
    }

    private static func content(of folder: String) throws(FileError) -> [String] {
        do throws(SystemError) { return try SmallFile.names(in: folder).sorted().map { "\(folder)/\($0)" } } catch {
            throw FileError(path: folder, problem: "\(error)")
        }
    }

    /// What is published on a topic of a box, signed where the box has a key.
    func payload(
        _ members: [(name: String, value: JSONValue)], of box: BoxID, on topic: String
    ) throws(SecretFileError) -> [UInt8] {
        guard let key = try key(of: box) else { return JSONValue.object(members).bytes }
        return MessageSigner(key: key, topic: topic).payload(members)
    }
}
