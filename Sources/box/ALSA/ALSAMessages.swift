import CALSA

/// Keeps what alsa-lib would write to stderr, to explain an error.
///
/// The text is kept per thread: read it on the thread that made the failing call. Never blocks.
enum ALSAMessages {
    // alsa-lib has one handler for the whole process; it is installed at the first use and stays.
    private static let handler: Void = soundbox_alsa_keep_messages()

    /// Deletes the messages of earlier calls.
    static func clear() {
        handler
        soundbox_alsa_message().pointee = 0
    }

    /// The first message since ``clear()``; `nil` when there was none.
    static var first: String? {
        var text = Substring(String(cString: soundbox_alsa_message()))
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text.isEmpty ? nil : String(text)
    }
}
