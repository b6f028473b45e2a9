import Synchronization

/// Notices what a mapping ignores because a field is missing: a provider who renames it would be silenced without a
/// word. Any thread; never blocks.
///
///     let watch = AbsenceWatch()
///     if let warning = watch.ignored("status is missing", byAbsence: true) { print(warning) }
package final class AbsenceWatch: Sendable {
    /// So many in a row are no other events that come now and then.
    package static let most = 20

    private struct Content {
        var count = 0
        var isTold = false
    }

    private let content = Mutex(Content())

    package init() {}

    /// Call for each notice that is ignored. Other events in between, ignored for what they say, change nothing.
    /// - Returns: the warning, once for each row.
    package func ignored(_ reason: String, byAbsence: Bool) -> String? {
        guard byAbsence else { return nil }
        let isNews = content.withLock { content in
            content.count += 1
            guard content.count >= Self.most, !content.isTold else { return false }
            content.isTold = true
            return true
        }
        guard isNews else { return nil }
        return "the last \(Self.most) notices were ignored because a field is missing (\(reason)): if the provider has "
            + "renamed it, correct the mapping"
    }

    /// Call for each notice that is read or refused.
    /// - Returns: whether a warning has ended.
    package func read() -> Bool {
        content.withLock { content in
            defer { content = Content() }
            return content.isTold
        }
    }
}
