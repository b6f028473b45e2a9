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

    /// What is published on a topic of a box, signed where the box has a key.
    func payload(
        _ members: [(name: String, value: JSONValue)], of box: BoxID, on topic: String
    ) throws(SecretFileError) -> [UInt8] {
        guard let key = try key(of: box) else { return JSONValue.object(members).bytes }
        return MessageSigner(key: key, topic: topic).payload(members)
    }
}
