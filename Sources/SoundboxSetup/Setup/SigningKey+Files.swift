import SoundboxBox
import SoundboxConfiguration
import SoundboxCore

extension SigningKey {
    /// Reads the first line of a key file. Blocks on the disk.
    package init(readingFile path: String, evenIfExposed: Bool = false) throws(SecretFileError) {
        let file = SecretFile(content: "signing key", path: path)
        let line = try file.read(evenIfExposed: evenIfExposed)
        do { try self.init(line) } catch { throw file.failure(error.description) }
    }
}

extension Configuration.Authenticity {
    /// The keys that a signature may be made with. Blocks on the disk.
    package func readKeys() throws(SecretFileError) -> [SigningKey] {
        var keys = [try SigningKey(readingFile: keyFile)]
        if let nextKeyFile { keys.append(try SigningKey(readingFile: nextKeyFile)) }
        return keys
    }
}

extension MessageVerifier {
    /// `nil` for a box without a key. Reads the key files; blocks on the disk.
    package init?(_ configuration: Configuration) throws(SecretFileError) {
        guard let authenticity = configuration.authenticity else { return nil }
        self.init(
            keys: try authenticity.readKeys(), required: authenticity.required, topics: configuration.topics)
    }
}

extension MessageSigner {
    /// `nil` for a box without a key. Reads the key file; blocks on the disk.
    /// - Throws: what is wrong with that file.
    /// - Parameter topic: what is signed for one topic is worthless on another.
    public init?(_ configuration: Configuration, topic: Topic = .payments) throws {
        guard let authenticity = configuration.authenticity else { return nil }
        self.init(key: try SigningKey(readingFile: authenticity.keyFile), topic: configuration.topics[topic])
    }
}
