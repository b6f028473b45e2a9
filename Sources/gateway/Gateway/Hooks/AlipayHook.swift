import SoundboxControl
import SoundboxCore
import SoundboxSystem

/// Alipay's asynchronous notice (https://opendocs.alipay.com/common/02mse7): a form with the member `sign`, RSA with
/// SHA-256 (`sign_type` RSA2) over all other members but `sign_type`, decoded and sorted by name: `a=1&b=2`. The
/// document has what is signed, as strings.
///
///     hook: {scheme: alipay, public_key_file: /etc/soundbox-gateway/alipay.pem}
///
/// The key is Alipay's (支付宝公钥), not the app's: PEM, its certificate, or the bare base64 that the console gives. Alipay
/// repeats a notice for 25 hours until it gets the text `success`. No documentation says which `notify_time` is too old: a
/// notice that is sent again has the same id, and changes nothing.
package struct AlipayHook: HookScheme {
    package let headers: [String] = []

    private typealias Field = FormBody.Field

    private let key: RSAPublicKey
    /// Of the fields that something depends on.
    private let names: Set<String>

    /// - Parameter fields: those that the hook's file reads.
    init(reading section: YAMLMapping, fields: [FieldPath]) throws(YAMLError) {
        key = try section.required("public_key_file").rsaFile().key
        names = Set(fields.map(\.firstName) + ["sign", "sign_type"])
    }

    package func open(_ request: HTTPRequest, at unixSeconds: Int64) throws(HookRefusal) -> [UInt8] {
        var fields = try FormBody(request.body).fields
        fields.sort { $0.name.lexicographicallyPrecedes($1.name) }
        func unsigned(_ name: String) -> String? {
            guard let index = fields.firstIndex(where: { $0.name.elementsEqual(name.utf8) }) else { return nil }
            return FormBody.text(fields.remove(at: index).value)
        }
        let (signature, type) = (unsigned("sign").flatMap(Base64.bytes), unsigned("sign_type"))
        guard type == "RSA2" else {
            throw HookRefusal(
                status: 400,
                reason: "sign_type is \(type?.excerpt ?? "missing"), expected RSA2; choose it in Alipay's console")
        }
        let signed = try signedBytes(of: fields)
        guard let signature, key.isSignature(signature, of: signed) else {
            throw HookRefusal(status: 401, reason: "sign is not Alipay's signature of the fields")
        }
        return JSONValue.object(fields.map { (FormBody.text($0.name), .string(FormBody.text($0.value))) }).bytes
    }

    /// - Throws: where the same bytes could be other fields: a `subject` of `x&total_amount=9` and a swallowed
    ///   `total_amount` have the same signature. So no value holds `&` with a name that is read and `=` behind it, and a
    ///   value that is read holds no name at all.
    private func signedBytes(of fields: [Field]) throws(HookRefusal) -> [UInt8] {
        for (name, value) in fields {
            guard Self.isName(name[...]) else {
                throw HookRefusal(status: 400, reason: "\(FormBody.text(name).excerpt) is no field's name")
            }
            let isRead = names.contains(FormBody.text(name))
            for part in value.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).dropFirst() {
                guard let inner = part.firstIndex(of: UInt8(ascii: "=")).map({ part[..<$0] }), Self.isName(inner),
                    isRead || names.contains(FormBody.text(Array(inner)))
                else { continue }
                throw HookRefusal(
                    status: 400,
                    reason:
                        "\(FormBody.text(name).excerpt) holds &\(FormBody.text(Array(inner)).excerpt)=, which could "
                        + "be a field")
            }
        }
        return Array(fields.map { $0.name + [UInt8(ascii: "=")] + $0.value }.joined(separator: [UInt8(ascii: "&")]))
    }

    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    package var accepted: HTTPResponse { Self.answer("success", status: 200) }

    package func failed(_ reason: String) -> HTTPResponse { Self.answer("fail", status: 503).later() }

    private static func answer(_ word: String, status: Int) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "text/plain", body: Array(word.utf8))
    }
}
