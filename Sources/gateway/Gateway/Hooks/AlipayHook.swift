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

    init(reading section: YAMLMapping) throws(YAMLError) {
        key = try section.required("public_key_file").rsaKey()
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
        let signed = try Self.signedBytes(of: fields)
        guard let signature, key.isSignature(signature, of: signed) else {
            throw HookRefusal(status: 401, reason: "sign is not Alipay's signature of the fields")
        }
        return JSONValue.object(fields.map { (FormBody.text($0.name), .string(FormBody.text($0.value))) }).bytes
    }

    /// - Throws: where the same bytes could be other fields: a `subject` of `x&total_amount=9` and a swallowed
    ///   `total_amount` have the same signature. So every `&` with a name and `=` behind it begins a field.
    private static func signedBytes(of fields: [Field]) throws(HookRefusal) -> [UInt8] {
        let signed = Array(
            fields.map { $0.name + [UInt8(ascii: "=")] + $0.value }.joined(separator: [UInt8(ascii: "&")]))
        let names = signed.split(separator: UInt8(ascii: "&")).compactMap { part in
            part.firstIndex(of: UInt8(ascii: "=")).map { part[..<$0] }
        }.filter(isName)
        guard names.count == fields.count, fields.allSatisfy({ isName($0.name[...]) }) else {
            throw HookRefusal(
                status: 400, reason: "a value, such as the subject, holds & and a name and =: it could be a field")
        }
        return signed
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

    package func failed(_ reason: String) -> HTTPResponse { Self.answer("fail", status: 500) }

    private static func answer(_ word: String, status: Int) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "text/plain", body: Array(word.utf8))
    }
}
