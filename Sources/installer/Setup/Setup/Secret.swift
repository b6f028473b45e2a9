/// A text that must not appear in a log, an error or a dump. Its description is masked.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    public let value: String

    public init(_ value: String) { self.value = value }

    public var description: String { "••••••" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
