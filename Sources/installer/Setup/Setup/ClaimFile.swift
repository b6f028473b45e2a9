import SoundboxSystem

/// The paths of a claim: beside the `soundbox.yaml` that it will bring.
enum ClaimFile {
    static func path(beside configuration: String) -> String {
        "\(SmallFile.folder(of: configuration))/claim.yaml"
    }

    /// The private key of the requested certificate.
    static func keyPath(beside configuration: String) -> String { "\(SmallFile.folder(of: configuration))/claim.key" }

    /// The folder for the connection to the claim's broker during an attempt: libraries read certificates from files.
    static func connectionFolder(beside configuration: String) -> String {
        "\(SmallFile.folder(of: configuration))/claim"
    }

    /// All files of a claim, without the folder above, which is removed after each attempt.
    static func paths(beside configuration: String) -> [String] {
        [path(beside: configuration), keyPath(beside: configuration)]
    }
}
