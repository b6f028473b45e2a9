import CConfinement

/// Drops a process's rights before it reads untrusted bytes. For a process that was started for this purpose only.
///
///     try Confinement.enter(memory: 256 << 20, processorSeconds: 10)
package enum Confinement {
    /// Allows only reading standard input, writing standard output and error, memory, and exit: seccomp(2). It cannot
    /// be undone. Any other system call kills the process, in any thread.
    /// - Parameters:
    ///   - memory: address space, in bytes.
    ///   - processorSeconds: after this the kernel kills the process.
    package static func enter(memory: UInt, processorSeconds: UInt32) throws(SystemError) {
        for error in [soundbox_bound_process(memory, processorSeconds), soundbox_confine_process()]
        where error.call != nil { throw SystemError(code: error.code) }
    }

    /// Keeps this process and whatever it starts in its process group, which ``BoundedProcess`` kills as a whole. It
    /// cannot be undone.
    package static func stayInGroup() throws(SystemError) {
        let error = soundbox_keep_in_group()
        if error.call != nil { throw SystemError(code: error.code) }
    }
}
