/// One value that survives a restart.
///
///     let volume = Remembered<Volume>(read: { file.read() }, write: { try file.write($0) })
///     try volume.write(Volume(60))
///
/// ``read`` and ``write`` may block on the disk. Any thread.
package struct Remembered<Value: Sendable>: Sendable {
    /// `nil` when there is no value, or it cannot be read.
    package var read: @Sendable () -> Value?
    package var write: @Sendable (Value) throws -> Void

    package init(read: @escaping @Sendable () -> Value?, write: @escaping @Sendable (Value) throws -> Void) {
        self.read = read
        self.write = write
    }

    /// Stores nothing.
    package static var none: Remembered { Remembered(read: { nil }, write: { _ in }) }
}
