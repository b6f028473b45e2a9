import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// A provider's webhook, a file of its own: how it is signed, which box it is for, and what its fields mean.
///
///     let hook = try Hook(readingFile: "/etc/soundbox-gateway/hooks/wechatpay.yaml")
///     let document = try hook.scheme.open(request, at: now)
///     let notices = try MappedNoticeDecoder(mapping: hook.mapping, defaultCurrency: .CNY).decodeAll(document)
///     let box = try hook.box(in: try JSONValue(parsing: document, toleratesBrokenText: true), at: 0)
///
/// The file is a mapping file (``PaymentMapping``) with `signature` or `hook`, `merchant` and `device` besides. The last
/// two are a source, like `channel`: `{constant: M1001}`, or `{field: store_id, codes: {"2088": box-01}}`.
package struct Hook: Sendable {
    package let scheme: any HookScheme
    package let mapping: PaymentMapping
    private let merchant: BoxSource
    private let device: BoxSource

    /// Blocks on the disk, also for the keys that the file names.
    package init(readingFile path: String) throws(YAMLError) {
        try self.init(reading: try YAMLValue(readingFile: path))
    }

    private static let endings = [".yaml", ".yml"]

    /// The name of a hook with a file of this name; `nil` for another file.
    private static func name(ofFile file: String) -> String? {
        guard !file.hasPrefix("."), let ending = endings.first(where: file.hasSuffix) else { return nil }
        return String(file.dropLast(ending.count))
    }

    /// Every `{name}.yaml` and `{name}.yml` of a folder, by its name. Blocks on the disk.
    package static func all(inFolder folder: String) throws -> [String: Hook] {
        var hooks: [String: Hook] = [:]
        let names: [String]
        do { names = try SmallFile.names(in: folder) } catch {
            throw FileError(path: folder, problem: "\(error)")
        }
        for file in names.sorted() {
            guard let name = name(ofFile: file) else { continue }
            guard hooks[name] == nil else {
                throw FileError(path: "\(folder)/\(file)", problem: "there is \(name).yaml as well")
            }
            hooks[name] = try Hook(readingFile: "\(folder)/\(file)")
        }
        return hooks
    }

    /// What else stands in the folder, and is not read: a file of another ending, for example. Blocks on the disk.
    package static func ignored(inFolder folder: String) -> [String] {
        ((try? SmallFile.names(in: folder)) ?? []).filter { !$0.hasPrefix(".") && name(ofFile: $0) == nil }.sorted()
    }

    package init(reading value: YAMLValue) throws(YAMLError) {
        let top = try value.mapping()
        merchant = try BoxSource(reading: top.required("merchant")) { (text) throws(BoxIDError) in
            _ = try BoxID(merchant: text, device: "device")
        }
        device = try BoxSource(reading: top.required("device")) { (text) throws(BoxIDError) in
            _ = try BoxID(merchant: "merchant", device: text)
        }
        mapping = try PaymentMapping(reading: top)
        let fields = mapping.fields + [merchant, device].compactMap(\.field)
        switch (top.optional("signature"), top.optional("hook")) {
        case (let signature?, nil):
            let section = try signature.mapping()
            if section.optional("token") != nil {
                scheme = try HeaderToken(reading: section)
            } else {
                let recipe = try SignatureRecipe(reading: section, each: mapping.each, fields: fields)
                try Self.check(top, recipe.content)
                scheme = recipe
            }
            try section.refuseOtherKeys()
        case (nil, let hook?):
            scheme = try HookName.scheme(reading: hook, fields: fields)
        case (nil, nil): throw value.error("expected either signature or hook, found neither")
        case (.some, .some): throw value.error("expected either signature or hook, found both")
        }
        try top.refuseOtherKeys()
    }

    /// Refuses a mapping that decides by a field that is not signed: anybody could change it.
    private static func check(_ top: YAMLMapping, _ content: SignedContent) throws(YAMLError) {
        let id = try top.required("id").idFields
        var fields = id.isList ? try id.list() : [id]
        for key in ["amount", "currency", "kind", "merchant", "device"] {
            guard let field = try top.optional(key)?.mapping().optional("field") else { continue }
            fields.append(field)
        }
        for condition in try top.optional("conditions")?.list() ?? [] {
            fields.append(try condition.mapping().required("field"))
        }
        // The same signed text is a thousand times as much if a stranger puts quotes around a number.
        if !content.signsBody, let separator = try top.required("amount").mapping().optional("thousands"),
            try separator.string() == "."
        {
            throw separator.error(
                "reads 1.234 and \"1.234\" as two amounts, and fields are signed without their quotes")
        }
        for field in fields {
            let path = try field.path(of: "data.id")
            guard !content.signs(path) else { continue }
            throw field.error(
                "\(try field.string()) is not signed, so that anybody can change it: signed is \(content)")
        }
    }

    /// The headers that the scheme reads, in lower case.
    package var headers: [String] { scheme.headers }

    /// The box of one notice.
    package enum Box: Sendable, Equatable {
        case ids(merchant: String, device: String)
        /// It is for no box, as the file says. `reason` names the field.
        case none(reason: String, isAbsence: Bool)
    }

    /// The ids of the box that a notice is for. Whether there is such a box is for the caller to know.
    ///
    /// - Parameters:
    ///   - json: the document, read as tolerantly as the mapping reads it.
    ///   - index: the notice's place among those of the document.
    /// - Throws: where they are missing, or could not stand in a topic.
    package func box(in json: JSONValue, at index: Int) throws(NoticeRejection) -> Box {
        var (sources, texts) = ([merchant, device], [(text: String, field: String)]())
        if let list = mapping.each { sources = sources.map { $0.inElement(index, of: list) } }
        for (source, name) in zip(sources, ["merchant", "device"]) {
            switch try source.text(name, in: json) {
            case .text(let text, let field): texts.append((text, field))
            case .none(let reason, let isAbsence): return .none(reason: reason, isAbsence: isAbsence)
            }
        }
        do { _ = try Topics(merchant: texts[0].text, device: texts[1].text) } catch {
            let field = texts[error.part == .merchant ? 0 : 1].field
            throw NoticeRejection(id: nil, field: field, problem: "\(error.part): \(error.problem)")
        }
        return .ids(merchant: texts[0].text, device: texts[1].text)
    }
}

/// Where a hook's merchant or device comes from: `{constant: ID}`, or `{field: PATH, codes: {CODE: ID}, otherwise:
/// ignore, absent: refuse}`. `otherwise` is for a value that is none of the codes, `absent` for a missing one; both are
/// `refuse` where they are not written.
private struct BoxSource: Sendable {
    enum Outcome {
        case text(String, field: String)
        case none(reason: String, isAbsence: Bool)
    }

    private var source: PaymentMapping.Source
    private let otherwise: PaymentMapping.Verdict
    private let absent: PaymentMapping.Verdict

    /// Checks what the file itself says; ``Hook/box(of:at:)`` checks the rest.
    init(reading value: YAMLValue, check: (String) throws(BoxIDError) -> Void) throws(YAMLError) {
        let section = try value.mapping()
        let (otherwise, absent) = (section.optional("otherwise"), section.optional("absent"))
        self.otherwise = try otherwise?.verdict() ?? .refuse
        self.absent = try absent?.verdict() ?? .refuse
        source = try PaymentMapping.Source(reading: section)
        let texts: [String]
        switch source {
        case .constant(let text):
            texts = [text]
            if let key = otherwise ?? absent { throw key.error("is of use beside field only") }
        case .field(_, let codes):
            texts = codes.values.sorted()
            if let otherwise, codes.isEmpty { throw otherwise.error("is of use beside codes only") }
        }
        for text in texts {
            do { try check(text) } catch { throw value.error("\(text.excerpt) is no id: \(error.problem)") }
        }
    }

    var field: FieldPath? { source.field }

    func inElement(_ index: Int, of list: FieldPath) -> BoxSource {
        var copy = self
        copy.source = source.inElement(index, of: list)
        return copy
    }

    func text(_ name: String, in json: JSONValue) throws(NoticeRejection) -> Outcome {
        if let path = source.field, let problem = path.ambiguity(in: json) {
            throw NoticeRejection(id: nil, field: "\(path)", problem: problem)
        }
        if let path = source.field, path.text(in: json)?.unicodeScalars.contains("\u{FFFD}") == true {
            throw NoticeRejection(
                id: nil, field: "\(path)", problem: "holds U+FFFD: it was cut or read in another encoding")
        }
        guard let text = try source.text(in: json) else {
            let field = source.field.map { "\($0)" } ?? name
            if absent == .ignore { return .none(reason: "\(field) is missing", isAbsence: true) }
            throw NoticeRejection(id: nil, field: field, problem: "this field is missing; it says the \(name)")
        }
        // Not by what it stands for: a store of the number that a code leads to is another store.
        if case .field(let path, let codes) = source, !codes.isEmpty, codes[text.text] == nil,
            path.written(in: json)?.code == text.text
        {
            let problem = "\(text.text.excerpt) is none of the codes that say the \(name)"
            if otherwise == .ignore { return .none(reason: "\(text.field): \(problem)", isAbsence: false) }
            throw NoticeRejection(id: nil, field: text.field, problem: problem)
        }
        return .text(text.text, field: text.field)
    }
}

/// The schemes that no recipe describes, by their names in files.
private enum HookName: String, CaseIterable {
    case alipay
    case wechatPay = "wechatpay-v3"

    /// `{scheme: NAME, …}`; the rest is the scheme's.
    /// - Parameter fields: those that the hook's file reads.
    static func scheme(reading value: YAMLValue, fields: [FieldPath]) throws(YAMLError) -> any HookScheme {
        let section = try value.mapping()
        let scheme: any HookScheme =
            switch try section.required("scheme").choice(of: HookName.self) {
            case .wechatPay: try WeChatPayHook(reading: section)
            case .alipay: try AlipayHook(reading: section, fields: fields)
            }
        try section.refuseOtherKeys()
        return scheme
    }
}
