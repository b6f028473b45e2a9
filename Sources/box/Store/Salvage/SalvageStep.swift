/// The moments of a salvage between which a kill leaves different files behind. Tests stop it at each of them.
enum SalvageStep: Sendable, CaseIterable {
    /// Nothing was written.
    case begun
    /// Some of the waiting payments are in the new file.
    case partlyWritten
    /// Everything that can be read is in the new file.
    case written
    /// The new file has the name that marks it as complete for the next start.
    case named
    /// The damaged file's log has its new name, the file itself not yet.
    case logMoved
    /// No file has the database's name.
    case databaseMoved
    /// The new file has the database's name.
    case swapped
}
