import Glibc

/// An exclusive lock on an open file, by `flock`.
///
/// It ends with this object, at the latest with the process. `close` alone would not do: a program that another thread
/// is just starting has a copy of the descriptor until it is executed, and the lock belongs to all copies (flock(2)).
/// Unlocking one of them unlocks them all.
public final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock without waiting. The descriptor belongs to the lock from here on and is closed with it, also when
    /// the lock cannot be had.
    ///
    /// - Returns: `nil` if it cannot be had, mostly because another one holds it.
    public init?(closing descriptor: Int32) {
        self.descriptor = descriptor
        // A failed initialiser of a class whose properties are set runs `deinit`; unlocking what was never locked
        // does nothing to the one who holds it.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
