import Glibc

/// An exclusive lock on an open file, by `flock`.
///
///     guard let lock = FileLock(closing: open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)) else { return }
///
/// It ends with this object, or with the process. `close` alone would not release it: a program that another thread is
/// just starting has a copy of the descriptor until it is executed, and the lock belongs to all copies (flock(2)).
/// Unlocking one of them unlocks them all.
public final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock without waiting. The descriptor belongs to the lock from here on and is closed with it, also when
    /// the lock is not available.
    ///
    /// - Returns: `nil` if the lock is not available, usually because another process holds it.
    public init?(closing descriptor: Int32) {
        self.descriptor = descriptor
        // A failed initialiser of a class whose properties are set runs `deinit`. Unlocking a lock that was never taken
        // does not affect its holder.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
