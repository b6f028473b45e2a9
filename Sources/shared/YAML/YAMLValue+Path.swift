import SoundboxCore
import SoundboxSystem

extension YAMLValue {
    /// A path as written; a relative one starts in the program's working directory.
    package func path() throws(YAMLError) -> String {
        let text = try string()
        guard !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 }) else { throw error("expected a path") }
        if text.leadsSomewhere { mayBeShown() }
        return text
    }
}
