import SoundboxCore
import SoundboxYAML

/// A provider's webhook, a file of its own: how it is signed, which box it is for, and what its fields mean.
///
///     let hook = try Hook(readingFile: "/etc/soundbox-gateway/hooks/wechatpay.yaml")
///     let document = try hook.scheme.open(request, at: now)
///     let notice = try MappedNoticeDecoder(mapping: hook.mapping, defaultCurrency: .CNY).decode(document)
///     let box = try hook.box(of: document)
///
/// The file is a mapping file (``PaymentMapping``) with `hook`, `merchant` and `device` besides. The last two are a
/// source, like `channel`: `{constant: M1001}`, or `{field: store_id, codes: {"2088": box-01}}`.
package struct Hook: Sendable {
    package let scheme: any HookScheme
    package let mapping: PaymentMapping
    private let merchant: PaymentMapping.Source
    private let device: PaymentMapping.Source

    /// Blocks on the disk, also for the keys that the file names.
    package init(readingFile path: String) throws(YAMLError) {
        try self.init(reading: try YAMLValue(readingFile: path))
    }

    package init(reading value: YAMLValue) throws(YAMLError) {
        let top = try value.mapping()
        scheme = try HookName.scheme(reading: top.required("hook"))
        merchant = try PaymentMapping.Source(id: top.required("merchant")) { (text) throws(BoxIDError) in
            _ = try BoxID(merchant: text, device: "device")
        }
        device = try PaymentMapping.Source(id: top.required("device")) { (text) throws(BoxIDError) in
            _ = try BoxID(merchant: "merchant", device: text)
        }
        mapping = try PaymentMapping(reading: top)
        try top.refuseOtherKeys()
    }

    /// The headers that the scheme reads, in lower case.
    package var headers: [String] {
        (scheme as? HMACBodyHook).map { [$0.header] } ?? type(of: scheme).headers
    }

    /// The ids of the box that a document is for. Whether there is such a box is for the caller to know.
    /// - Throws: where they are missing, or could not stand in a topic.
    package func box(of document: [UInt8]) throws(NoticeRejection) -> (merchant: String, device: String) {
        let json: JSONValue
        do { json = try JSONValue(parsing: document, toleratesBrokenText: true) } catch {
            throw NoticeRejection(id: nil, field: "payload", problem: error.description)
        }
        let merchant = try Self.text(merchant, "merchant", in: json)
        let device = try Self.text(device, "device", in: json)
        do { _ = try Topics(merchant: merchant.text, device: device.text) } catch {
            let field = error.part == .merchant ? merchant.field : device.field
            throw NoticeRejection(id: nil, field: field, problem: "\(error.part): \(error.problem)")
        }
        return (merchant.text, device.text)
    }

    private static func text(
        _ source: PaymentMapping.Source, _ name: String, in json: JSONValue
    ) throws(NoticeRejection) -> (text: String, field: String) {
        guard let text = try source.text(in: json) else {
            var field = name
            if case .field(let path, _) = source { field = "\(path)" }
            throw NoticeRejection(id: nil, field: field, problem: "this field is missing; it says the \(name)")
        }
        if case .field(_, let codes) = source, !codes.isEmpty, !codes.values.contains(text.text) {
            throw NoticeRejection(
                id: nil, field: text.field, problem: "\(text.text.excerpt) is none of the codes that say the \(name)")
        }
        guard !text.text.unicodeScalars.contains("\u{FFFD}") else {
            throw NoticeRejection(
                id: nil, field: text.field, problem: "holds U+FFFD: it was cut or read in another encoding")
        }
        return text
    }
}

/// The schemes by their names in files.
private enum HookName: String, CaseIterable {
    case bearer, stripe, sepay, alipay
    case hmacBody = "hmac-body"
    case wechatPay = "wechatpay-v3"

    /// `{scheme: NAME, …}`; the rest is the scheme's.
    static func scheme(reading value: YAMLValue) throws(YAMLError) -> any HookScheme {
        let section = try value.mapping()
        let scheme: any HookScheme =
            switch try section.required("scheme").choice(of: HookName.self) {
            case .bearer: try BearerHook(reading: section)
            case .hmacBody: try HMACBodyHook(reading: section)
            case .stripe: try StripeHook(reading: section)
            case .sepay: try SePayHook(reading: section)
            case .wechatPay: try WeChatPayHook(reading: section)
            case .alipay: try AlipayHook(reading: section)
            }
        try section.refuseOtherKeys()
        return scheme
    }
}

extension PaymentMapping.Source {
    /// Checks what the file itself says; ``Hook/box(of:)`` checks the rest.
    fileprivate init(id value: YAMLValue, check: (String) throws(BoxIDError) -> Void) throws(YAMLError) {
        try self.init(reading: value)
        let texts =
            switch self {
            case .constant(let text): [text]
            case .field(_, let codes): codes.values.sorted()
            }
        for text in texts {
            do { try check(text) } catch { throw value.error("\(text.excerpt) is no id: \(error.problem)") }
        }
    }
}
