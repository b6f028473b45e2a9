/// One value that outlives a restart. Both may block on the disk.
package struct Remembered<Value: Sendable>: Sendable {
    /// `nil` when nothing readable is there.
    package var read: @Sendable () -> Value?
    package var write: @Sendable (Value) throws -> Void

    package init(read: @escaping @Sendable () -> Value?, write: @escaping @Sendable (Value) throws -> Void) {
        self.read = read
        self.write = write
    }

    /// Remembers nothing.
    package static var none: Remembered { Remembered(read: { nil }, write: { _ in }) }
}
