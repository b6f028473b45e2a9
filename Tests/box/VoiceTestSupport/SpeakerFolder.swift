import SoundboxSystem

/// Writes `voice.yaml` files of speakers into a folder for voices: the shipped Mandarin voice's, without recordings.
package enum SpeakerFolder {
    /// - Parameters:
    ///   - name: the folder's: `zh-CN-yunxi`.
    ///   - speaker: an id, whose name is the same in capitals; `nil` for a voice that names nobody.
    ///   - change: what else is different.
    package static func write(
        _ name: String, speaker: String?, in sounds: String, change: (String) -> String = { $0 }
    ) throws {
        let source = try SmallFile.read("\(shippedSounds)/zh-CN/voice.yaml")
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).filter {
            !$0.hasPrefix("speaker:")
        }
        let named = speaker.map { "speaker: {id: \($0), name: \($0.uppercased())}\n" } ?? ""
        try SmallFile.createFolders("\(sounds)/\(name)")
        try SmallFile.replace(
            "\(sounds)/\(name)/voice.yaml", with: change(named + lines.joined(separator: "\n")), mode: 0o644, owner: nil
        )
    }
}
