import SoundboxCore
import SoundboxSystem

// Kinds of text that several features of a configuration have.

extension YAMLValue {
    /// A time of day, `22:00`, as minutes after midnight.
    package func minuteOfDay() throws(YAMLError) -> Int {
        let text = try string()
        guard let match = text.wholeMatch(of: /([0-9]{1,2}):([0-9]{2})/), let hour = Int(match.1),
            let minute = Int(match.2), hour < 24, minute < 60
        else { throw error("expected a time of day such as \"22:00\"\(found(text))") }
        mayBeShown()
        return hour * 60 + minute
    }

    /// Linux keeps 107 bytes for the path of a socket (unix(7)).
    package func socketPath() throws(YAMLError) -> String {
        let text = try path()
        guard text.utf8.count <= 107 else {
            throw error("the path of a socket has at most 107 bytes, this one has \(text.utf8.count)")
        }
        return text
    }
}

extension YAMLValue {
    /// A path as written; a relative one starts in the program's working directory.
    package func path() throws(YAMLError) -> String {
        let text = try string()
        guard !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 }) else { throw error("expected a path") }
        if text.leadsSomewhere { mayBeShown() }
        return text
    }
}
