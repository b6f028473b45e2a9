import SoundboxSystem

/// Detects that new software is being installed: the package keeps a mark in a folder of root meanwhile.
struct UpdateWatch {
    /// Path of the mark; it is never opened.
    let mark: String
    let state: BoxState

    /// Checks for the mark. It is on a file system in memory, so the check is cheap.
    func look() { state.update { $0.isUpdating = SmallFile.exists(mark) } }
}
