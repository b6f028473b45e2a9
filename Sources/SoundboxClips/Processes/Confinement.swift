import CConfinement
import SoundboxCore

/// What a process gives up before it reads a stranger's bytes. For a process that was started for nothing else.
public enum Confinement {
    /// Address space: the program and its libraries, a file of 16 MiB, the samples, and what a decoder needs.
    static let memory: UInt = 512 << 20
    /// Of processor time. The kernel kills the process then.
    static let seconds: UInt32 = 10

    /// Bounds memory, processor time and files, and allows no system call but reading standard input, writing standard
    /// output, memory, and the end: seccomp(2). Nothing that is given up can be had again.
    public static func enter() throws(ClipDecodingFailure) {
        guard soundbox_bound_process(memory, seconds).call == nil, soundbox_confine_process().call == nil else {
            throw .notConfined
        }
    }
}
