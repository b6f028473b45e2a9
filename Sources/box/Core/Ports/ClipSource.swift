/// Fetches recordings by URL, verified and decoded.
///
///     let sound = try await clips.clip(reference)
///     await clips.keep([reference])
public protocol ClipSource: Sendable {
    /// Fetches a clip, or takes it from the cache, and decodes it. Suspends for a bounded time; never blocks. Any task.
    func clip(_ reference: ClipReference) async throws(ClipError) -> PCMSound

    /// Why it cannot be played here, as far as that is known without fetching it; `nil` for nothing. Any thread; never
    /// blocks.
    func problem(of reference: ClipReference) -> String?

    /// Names the clips whose custom messages have not ended: the cache keeps these whatever else it deletes. Any task.
    func keep(_ references: Set<ClipReference>) async
}

/// Why there is no clip. The reason is for people and names what was expected.
public struct ClipError: Error, Sendable, Equatable, CustomStringConvertible {
    public var reason: String

    public init(_ reason: String) { self.reason = reason }

    public var description: String { "clip: \(reason)" }
}
