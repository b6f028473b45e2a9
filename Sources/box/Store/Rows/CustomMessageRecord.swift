import SoundboxCore

/// A whole row of `custom_message`.
struct CustomMessageRecord: CheckedRecord, Equatable {
    var entry: CustomMessageEntry

    init(_ entry: CustomMessageEntry) { self.entry = entry }

    static let columns: Columns<CustomMessageRecord> = [
        .sequence(\.entry.sequence),
        .part("command", \.entry.customMessage.id.text),
        .part("content", \.entry.customMessage.kept.text),
        .field("received_at", \.entry.receivedAt),
        .field("clock", \.entry.clock),
        .checksum,
    ]

    init?(parts cells: [Cell]) {
        guard let id = cells[1].text.flatMap({ try? CommandID($0) }),
            let json = cells[2].text.flatMap({ try? JSONValue(parsing: Array($0.utf8)) }),
            let customMessage = CustomMessage(id, kept: json)
        else { return nil }
        entry = CustomMessageEntry(
            sequence: 0, customMessage: customMessage, receivedAt: Timestamp(millisecondsSince1970: 0))
    }
}

/// The stored members of a custom message, besides its id: those of its command, with times in milliseconds. In JSON
/// instead of columns, so that a new member needs no new schema, and what can arrive can be stored.
extension CustomMessage {
    fileprivate var kept: JSONValue {
        var members: [(name: String, value: JSONValue)] = [("at", .integer(at.millisecondsSince1970))]
        switch purpose {
        case .say: members.append(("type", .string("say")))
        case .ring(let timeout):
            members += [("type", .string("ring")), ("timeout", .integer(Int64(timeout / .milliseconds(1))))]
        }
        switch content {
        case .tone: break
        case .text(let text): members.append(("text", .string(text)))
        case .segments(let segments): members.append(("segments", .array(segments.map { .string($0) })))
        case .clip(let clip, let otherwise):
            var file: [(name: String, value: JSONValue)] = [
                ("url", .string(clip.url)), ("sha256", .string(clip.sha256)),
            ]
            if let bytes = clip.bytes { file.append(("bytes", .integer(bytes))) }
            members.append(("clip", .object(file)))
            if let otherwise { members.append(("text", .string(otherwise))) }
        case .kind(let name, let number):
            members.append(("kind", .string(name.text)))
            if let number { members.append(("number", .integer(number))) }
        }
        return .object(members)
    }

    /// - Returns: `nil` for members that no version of this program writes.
    fileprivate init?(_ id: CommandID, kept json: JSONValue) {
        guard let at = json["at"]?.integer, let content = Content(kept: json) else { return nil }
        let purpose: Purpose
        switch (json["type"]?.string, json["timeout"]?.integer) {
        case ("say", nil): purpose = .say
        case ("ring", let timeout?): purpose = .ring(timeout: .milliseconds(timeout))
        default: return nil
        }
        self.init(
            id: id, purpose: purpose, content: content, at: Timestamp(millisecondsSince1970: Int64(at)))
    }
}

extension CustomMessage.Content {
    fileprivate init?(kept json: JSONValue) {
        if let clip = json["clip"] {
            guard let url = clip["url"]?.string, let sha256 = clip["sha256"]?.string else { return nil }
            self = .clip(
                ClipReference(url: url, sha256: sha256, bytes: clip["bytes"]?.integer), otherwise: json["text"]?.string)
        } else if let text = json["text"] {
            guard let text = text.string else { return nil }
            self = .text(text)
        } else if let segments = json["segments"] {
            guard case .array(let values) = segments else { return nil }
            let texts = values.compactMap(\.string)
            guard texts.count == values.count else { return nil }
            self = .segments(texts)
        } else if let kind = json["kind"] {
            guard let name = kind.string.flatMap(KindName.init) else { return nil }
            self = .kind(name, number: json["number"]?.integer.map(Int64.init))
        } else {
            self = .tone
        }
    }
}
