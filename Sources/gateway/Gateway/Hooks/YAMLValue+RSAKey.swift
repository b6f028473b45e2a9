import SoundboxCore
import SoundboxSystem
import SoundboxYAML

extension YAMLValue {
    /// The key in the file that this names: PEM, or the bare base64 that Alipay's console gives. Blocks on the
    /// disk.
    func rsaFile() throws(YAMLError) -> (key: RSAPublicKey, certificate: ClientCertificate?) {
        let path = try path()
        func failure(_ problem: String) -> YAMLError { error("\(path.shownPath): \(problem)") }
        let text: String
        do { text = try SmallFile.read(path) } catch { throw failure(error.problem) }
        do {
            let key = try RSAPublicKey(pem: text.contains("-----BEGIN") ? text : text.framedAsPublicKey)
            return (key, try? ClientCertificate(reading: text))
        } catch { throw failure(error.description) }
    }
}

extension String {
    fileprivate var framedAsPublicKey: String {
        var lines = ["-----BEGIN PUBLIC KEY-----"]
        var rest = filter { !$0.isWhitespace }[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return (lines + ["-----END PUBLIC KEY-----", ""]).joined(separator: "\n")
    }
}
