/// Something that neither a log, an error nor a debugger's dump may show.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    public let value: String

    public init(_ value: String) { self.value = value }

    public var description: String { "••••••" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
