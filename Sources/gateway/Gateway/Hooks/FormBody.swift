import SoundboxControl
import SoundboxCore

/// A form (`application/x-www-form-urlencoded`) as a body:
///
///     let document = try FormBody(request.body).document   // {"amount":"1","items":[{"id":"A"}]}
///
/// Every value is a string. `items[0][id]=A` and `data[id]=A` are nested, as PHP and Rails write them; `tags[]=a` is the
/// next element of a list.
struct FormBody {
    typealias Field = (name: [UInt8], value: [UInt8])

    /// Decoded, in their order.
    let fields: [Field]

    /// - Throws: 400 for what is no form, and for a name that occurs twice.
    init(_ body: [UInt8]) throws(HookRefusal) {
        var fields: [Field] = []
        for part in body.split(separator: UInt8(ascii: "&")) { fields.append(try Self.field(part)) }
        self.fields = fields
        let sorted = fields.sorted { $0.name.lexicographicallyPrecedes($1.name) }
        for (one, next) in zip(sorted, sorted.dropFirst()) where one.name == next.name {
            let name = Self.text(one.name)
            guard !name.hasSuffix("[]") else { continue }
            throw HookRefusal(status: 400, reason: "the field \(name.excerpt) occurs twice")
        }
    }

    private static func field(_ part: ArraySlice<UInt8>) throws(HookRefusal) -> Field {
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")),
            let name = PercentEncoding.decoded(part[..<equals], isForm: true),
            let value = PercentEncoding.decoded(part[(equals + 1)...], isForm: true)
        else {
            throw HookRefusal(status: 400, reason: "the body is no form: expected name=value, percent-encoded, with &")
        }
        return (name, value)
    }

    /// Signed are the bytes. Those of GBK become U+FFFD, which a mapping refuses where it decides by it.
    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// The JSON object that a mapping reads.
    /// - Throws: 400 where a name is a value and has members as well.
    var document: [UInt8] {
        get throws(HookRefusal) {
            let root = Node()
            for (name, value) in fields {
                let name = Self.text(name)
                guard root.set(Self.text(value), at: Self.path(of: name)) else {
                    throw HookRefusal(
                        status: 400, reason: "the field \(name.excerpt) is a value, and has members or elements as well"
                    )
                }
            }
            return root.json.bytes
        }
    }

    /// `items[0][id]` has three parts. A name whose brackets do not fit is one part.
    private static func path(of name: String) -> [String] {
        guard let bracket = name.firstIndex(of: "["), bracket > name.startIndex, name.last == "]" else { return [name] }
        let inside = name[name.index(after: bracket)...].dropLast()
        let parts = inside.split(separator: "][", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 16, parts.allSatisfy({ !$0.contains("[") && !$0.contains("]") }) else { return [name] }
        return [String(name[..<bracket])] + parts
    }

    private final class Node {
        private var text: String?
        /// In the order of their first mention.
        private var members: [(name: String, node: Node)] = []
        private var places: [String: Int] = [:]

        /// - Returns: `false` if there is a value on the way, or members at the end.
        func set(_ value: String, at path: [String]) -> Bool {
            guard let first = path.first else {
                guard members.isEmpty, text == nil else { return false }
                text = value
                return true
            }
            guard text == nil else { return false }
            let name = first.isEmpty ? "\(members.count)" : first
            if let place = places[name] { return members[place].node.set(value, at: Array(path.dropFirst())) }
            places[name] = members.count
            members.append((name, Node()))
            return members[members.count - 1].node.set(value, at: Array(path.dropFirst()))
        }

        /// A list if the names are the numbers from 0 on.
        var json: JSONValue {
            if let text { return .string(text) }
            if !members.isEmpty, members.indices.allSatisfy({ places["\($0)"] != nil }) {
                return .array(members.indices.map { members[places["\($0)"]!].node.json })
            }
            return .object(members.map { ($0.name, $0.node.json) })
        }
    }
}

extension HTTPRequest {
    /// The JSON that a mapping reads: the body, or what a form says.
    func document() throws(HookRefusal) -> [UInt8] { isForm ? try FormBody(body).document : body }

    /// Whether the body is a form, as its header says. Parameters behind it, such as the charset, are allowed. Many
    /// programs leave this header as their library sets it, and send JSON.
    var isForm: Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard body.dropFirst(body.starts(with: mark) ? 3 : 0).first(where: { $0 > 0x20 }) != UInt8(ascii: "{") else {
            return false
        }
        let type = headers["content-type"]?.split(separator: ";").first?.lowercased() ?? ""
        return type.split(separator: " ").joined() == "application/x-www-form-urlencoded"
    }
}
