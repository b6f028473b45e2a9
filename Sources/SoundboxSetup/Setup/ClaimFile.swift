import SoundboxSystem

/// Where a box without a setup keeps its claim to one: beside the setup that it is to bring.
enum ClaimFile {
    static func path(beside configuration: String) -> String {
        "\(SmallFile.folder(of: configuration))/claim.yaml"
    }

    /// The key that a certificate is asked for.
    static func keyPath(beside configuration: String) -> String { "\(SmallFile.folder(of: configuration))/claim.key" }

    /// All that a claim leaves on the disk.
    static func paths(beside configuration: String) -> [String] {
        [path(beside: configuration), keyPath(beside: configuration)]
    }
}
