import Synchronization

/// Notices what a mapping ignores because a field is missing: a provider who renames it would be silenced without a
/// word. Any thread; never blocks.
///
///     let watch = AbsenceWatch()
///     if let warning = watch.ignored("status is missing", byAbsence: true) { print(warning) }
package final class AbsenceWatch: Sendable {
    /// So many in a row are no other events that come now and then.
    package static let most = 20

    private let count = Mutex(0)

    package init() {}

    /// Call for each notice that is ignored.
    /// - Returns: the warning, once for each row.
    package func ignored(_ reason: String, byAbsence: Bool) -> String? {
        let count = count.withLock { count in
            count = byAbsence ? count + 1 : 0
            return count
        }
        guard count == Self.most else { return nil }
        return
            "the last \(count) notices were ignored because a field is missing (\(reason)): if the provider has renamed "
            + "it, correct the mapping"
    }

    /// Call for each notice that is read or refused.
    /// - Returns: whether a warning has ended.
    package func read() -> Bool {
        count.withLock { count in
            defer { count = 0 }
            return count >= Self.most
        }
    }
}
