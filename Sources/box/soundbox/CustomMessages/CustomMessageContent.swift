import ArgumentParser
import SoundboxBox
import SoundboxCore

/// The content of a ring or a sentence.
struct CustomMessageContent: ParsableArguments {
    @Argument(help: "A sentence in the voice's language, of at most 200 characters.")
    var text: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Phrases that the voice has recordings for, in order.", valueName: "phrase"))
    var segments: [String] = []

    @Option(
        help: ArgumentHelp(
            "A recording from one of clips.hosts. TEXT beside it is said if the recording cannot be had.",
            valueName: "url"))
    var clip: String?

    @Option(help: ArgumentHelp("The SHA-256 of the recording's file, 64 hexadecimal digits.", valueName: "digits"))
    var sha256: String?

    @Option(help: ArgumentHelp("A kind that the voice has words for.", valueName: "name"))
    var kind: String?

    @Option(help: ArgumentHelp("The number that the words of the kind have a place for.", valueName: "number"))
    var number: Int64?

    func validate() throws {
        guard (clip == nil) == (sha256 == nil) else { throw ValidationError("--clip and --sha256 go together.") }
    }

    var members: [(name: String, value: JSONValue)] {
        var members: [(name: String, value: JSONValue)] = []
        if let text { members.append(("text", .string(text))) }
        if !segments.isEmpty { members.append(("segments", .array(segments.map { .string($0) }))) }
        if let clip, let sha256 {
            members.append(("clip", .object([("url", .string(clip)), ("sha256", .string(sha256))])))
        }
        if let kind { members.append(("kind", .string(kind))) }
        if let number { members.append(("number", .integer(number))) }
        return members
    }

    /// Checks a command with the box's decoder before it is sent.
    static func check(_ members: [(name: String, value: JSONValue)]) throws {
        let head: [(name: String, value: JSONValue)] = [
            ("id", .string("trial")), ("at", .string("2026-01-01T00:00:00Z")),
        ]
        do { _ = try CustomMessage(decoding: .object(head + members)) } catch { throw ValidationError("\(error).") }
    }
}
