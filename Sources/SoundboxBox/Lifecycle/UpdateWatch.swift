import SoundboxSystem

/// Notices that new software is being installed: the package leaves a mark in a folder of root's meanwhile.
struct UpdateWatch {
    /// Path of the mark; it is never opened.
    let mark: String
    let state: BoxState

    /// Looks whether the mark is there. It is in memory: a look costs next to nothing.
    func look() { state.update { $0.isUpdating = SmallFile.exists(mark) } }
}
