import CLinux

/// The program's code in memory.
public enum ProgramCode {
    /// Gives the pages that only the start needed back to the kernel: of forty megabytes of code, metadata and symbols,
    /// a running box touches ten. Costs what comes back a soft page fault each; nothing is read from the disk as long
    /// as the kernel has room for it. Any thread.
    public static func release() {
        soundbox_release_code()
    }
}

/// How the C library's heap behaves in a process that runs for months on a board with little memory.
public enum Heap {
    /// Trades a little speed for memory. Process-wide; call it once, before other threads start.
    ///
    /// glibc gives every thread that meets another one in `malloc` a heap of its own, up to eight per core, and none
    /// gives back what it once grew to. One heap is enough for a dozen threads that mostly wait. Blocks above the
    /// threshold, such as the decoded speech of an announcement, are mapped by themselves and go back to the kernel
    /// when they are freed; setting the threshold keeps glibc from raising it after the first one (mallopt(3)).
    public static func keepSmall() {
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_MMAP_THRESHOLD, 128 * 1024)
        mallopt(M_TRIM_THRESHOLD, 128 * 1024)
    }

    /// Gives what is free back to the kernel. Takes the heap's lock for about a millisecond.
    public static func trim() {
        malloc_trim(0)
    }

    /// Bytes in use, as `mallinfo2(3)` counts them: for measurements.
    public static var bytesInUse: Int {
        let info = mallinfo2()
        return Int(info.uordblks + info.hblkhd)
    }
}
