import CLinux

/// The C library's heap, for measurements.
public enum HeapUse {
    /// The bytes in use, as `mallinfo2(3)` counts them.
    public static var bytes: Int {
        let info = mallinfo2()
        return Int(info.uordblks + info.hblkhd)
    }
}
