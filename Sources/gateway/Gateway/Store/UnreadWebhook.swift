import SoundboxCore
import SoundboxSystem

/// A webhook whose signature was right: what is stored of it where it cannot be read, or is for no box.
package struct GenuineWebhook: Sendable, Equatable {
    /// How the document is written. The raw value is the word in the database.
    package enum Form: String, Sendable {
        /// As the mapping reads it, also where it was encrypted. It need not be JSON after all.
        case json
        /// `application/x-www-form-urlencoded`
        case form
        /// It could not be decrypted.
        case sealed
    }

    package var hook: String
    package var path: String
    package var form: Form
    /// ``HookScheme/signed`` when it came.
    package var signed: String?
    package var document: [UInt8]

    package init(hook: String, path: String, form: Form = .json, signed: String? = nil, document: [UInt8]) {
        self.hook = hook
        self.path = path
        self.form = form
        self.signed = signed
        self.document = document
    }

    /// By which the same bytes are known again.
    var hash: [UInt8] { Array(SHA256.hash(of: document)) }
}

/// A webhook that is stored because it could not be read, or was for no box.
package struct UnreadWebhook: Sendable, Equatable {
    package var number: Int64
    package var webhook: GenuineWebhook
    /// For the first time.
    package var came: Timestamp
    /// How often the same bytes have come.
    package var count: Int
    /// Of the last attempt to read it.
    package var reason: String

    /// One object; the document is a text, or base64 where it is none.
    package var json: JSONValue {
        let text = String(validating: webhook.document, as: UTF8.self)
        return .object([
            ("number", .integer(Int(number))), ("came_at", .string("\(came)")), ("hook", .string(webhook.hook)),
            ("path", .string(webhook.path)), ("count", .integer(count)), ("reason", .string(reason)),
            ("form", .string(webhook.form.rawValue)),
            text.map { ("document", .string($0)) } ?? ("document_base64", .string(Base64.text(of: webhook.document))),
        ])
    }
}

/// How many unread webhooks are kept at most; beyond that the oldest are deleted.
package struct UnreadLimits: Sendable {
    package var rows = 10_000
    /// Of documents.
    package var bytes = 64 << 20

    package init() {}
}
