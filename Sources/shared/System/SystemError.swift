import Glibc

/// An error code of the system. Its description is the system's text, such as "No such file or directory".
public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A positive `errno` value.
    public let code: Int32

    public init(code: Int32) { self.code = code }

    /// The error of the system call that has just failed on this thread: `errno`.
    public static var last: SystemError { SystemError(code: errno) }

    public var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let text = buffer.baseAddress, strerror_r(code, text, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: text)
        }
    }
}
