import CConfinement

/// What a process gives up before it reads a stranger's bytes. For a process that was started for nothing else.
package enum Confinement {
    /// Allows no file and no system call but reading standard input, writing standard output and error, memory, and the
    /// end: seccomp(2). Nothing that is given up can be had again. Any other call kills the process, also one of another
    /// thread.
    /// - Parameters:
    ///   - memory: address space, in bytes.
    ///   - processorSeconds: the kernel kills the process then.
    package static func enter(memory: UInt, processorSeconds: UInt32) throws(SystemError) {
        for error in [soundbox_bound_process(memory, processorSeconds), soundbox_confine_process()]
        where error.call != nil { throw SystemError(code: error.code) }
    }
}
