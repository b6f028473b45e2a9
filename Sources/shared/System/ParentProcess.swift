import CLinux
import Glibc

/// The process that has started this one.
///
///     guard ParentProcess.endWithIt(parent) else { exit(EXIT_FAILURE) }
public enum ParentProcess {
    /// Has the kernel end this process when the parent is gone, also when that was killed: whatever it holds, a lock
    /// for example, is free then.
    ///
    /// - Parameter parent: the parent's process id.
    /// - Returns: whether the parent is still there.
    public static func endWithIt(_ parent: pid_t) -> Bool {
        soundbox_end_with_parent()
        return getppid() == parent
    }
}
