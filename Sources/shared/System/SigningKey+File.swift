import SoundboxCore

extension SigningKey {
    /// Reads the first line of a key file. Blocks on the disk.
    package init(readingFile path: String, evenIfExposed: Bool = false) throws(SecretFileError) {
        let file = SecretFile(content: "signing key", path: path)
        let line = try file.read(evenIfExposed: evenIfExposed)
        do { try self.init(line) } catch { throw file.failure(error.description) }
    }
}
