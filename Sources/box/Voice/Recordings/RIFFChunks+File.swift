import Glibc
import SoundboxCore

extension RIFFChunks {
    /// - Returns: what is wrong, in words; `nil` when nothing is. Blocks on the disk; does not change the file's
    ///   position.
    static func problem(in file: Int32) -> String? {
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        return problem(size: Int(status.st_size)) { offset, count in
            var bytes = [UInt8](repeating: 0, count: count)
            return pread(file, &bytes, count, off_t(offset)) == count ? bytes : nil
        }
    }
}
