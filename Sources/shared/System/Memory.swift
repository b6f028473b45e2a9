import CLinux

/// The program's code in memory.
public enum ProgramCode {
    /// Returns pages to the kernel that only the start needed: of forty megabytes of code, metadata and symbols, a
    /// running box uses ten. A page that is needed again costs a soft page fault; it is read from the disk again only
    /// if the kernel has no room for it. Any thread.
    public static func release() {
        soundbox_release_code()
    }
}

/// How the C library's heap behaves in a process that runs for months on a board with little memory.
public enum Heap {
    /// Trades a little speed for memory. Process-wide; call it once, before other threads start.
    ///
    /// When two threads meet in `malloc`, glibc gives one of them a heap of its own, up to eight per core, and no heap
    /// ever shrinks. One heap is enough for a dozen threads that mostly wait. Blocks above the threshold, such as the
    /// decoded speech of an announcement, get mappings of their own, which return to the kernel when they are freed.
    /// Without an explicit threshold, glibc would raise it after the first such block (mallopt(3)).
    public static func keepSmall() {
        mallopt(M_ARENA_MAX, 1)
        mallopt(M_MMAP_THRESHOLD, 128 * 1024)
        mallopt(M_TRIM_THRESHOLD, 128 * 1024)
    }

    /// Returns free memory to the kernel. Holds the heap's lock for about a millisecond. Any thread.
    public static func trim() {
        malloc_trim(0)
    }
}
