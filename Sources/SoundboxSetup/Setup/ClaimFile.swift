import SoundboxSystem

/// Where a box without a setup keeps its claim to one: beside the setup that it is to bring.
enum ClaimFile {
    static func path(beside configuration: String) -> String {
        "\(SmallFile.folder(of: configuration))/claim.yaml"
    }

    /// The key that a certificate is asked for.
    static func keyPath(beside configuration: String) -> String { "\(SmallFile.folder(of: configuration))/claim.key" }

    /// Where the claim's broker is set up while it is asked: what libraries read from files.
    static func connectionFolder(beside configuration: String) -> String {
        "\(SmallFile.folder(of: configuration))/claim"
    }

    /// All that a claim leaves on the disk, but for the folder above, which is gone after each attempt.
    static func paths(beside configuration: String) -> [String] {
        [path(beside: configuration), keyPath(beside: configuration)]
    }
}
