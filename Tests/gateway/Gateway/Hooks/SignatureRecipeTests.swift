import SoundboxControl
import SoundboxCore
import SoundboxYAML
import TestSupport
import Testing

@testable import SoundboxGateway

@Suite("Signatures by a recipe")
struct SignatureRecipeTests {
    private static let secret = "a-secret-of-a-good-length"
    private static let now: Int64 = 1_778_602_410
    private static let body = #"{"id":"A-1","amount":"1"}"#

    private let keys: HookFolder
    private let file: String

    init() throws {
        keys = try HookFolder()
        file = try keys.secret(Self.secret)
    }

    private func recipe(_ section: String) throws -> Hook { try keys.recipe("secret_file: \(file), \(section)") }

    private func request(_ headers: [String: String], _ body: String = body) -> HTTPRequest {
        HTTPRequest(headers: headers, body: Array(body.utf8))
    }

    private static func hex(_ text: String, _ key: String = secret) -> String { code(text, key: key).hexadecimal }

    // MARK: The code

    /// https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries.
    private static let digits = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"

    private func gitHub() throws -> Hook {
        let file = try keys.secret("It's a Secret to Everybody", in: "github")
        return try keys.recipe(
            #"secret_file: \#(file), signed: "{body}", code: {header: X-Hub-Signature-256, prefix: "sha256="}"#)
    }

    @Test("GitHub's documented example is taken, also with capital digits and blanks around the value")
    func documented() throws {
        let hook = try gitHub()
        #expect(hook.headers == ["x-hub-signature-256"])
        for value in ["sha256=\(Self.digits)", "sha256=\(Self.digits.uppercased())", " sha256=\(Self.digits)\t"] {
            let request = request(["x-hub-signature-256": value], "Hello, World!")
            #expect(try hook.scheme.open(request, at: 0) == Array("Hello, World!".utf8))
        }
    }

    @Test(
        "A signature that is forged, cut, empty or of another body or key is refused",
        arguments: [
            (nil, "Hello, World!"), ("", "Hello, World!"), ("sha256=", "Hello, World!"), (digits, "Hello, World!"),
            ("sha1=\(digits)", "Hello, World!"), ("sha256=\(digits.dropLast(2))", "Hello, World!"),
            ("sha256=\(digits)00", "Hello, World!"), ("sha256=\(digits.dropLast())g", "Hello, World!"),
            ("sha256=\(digits)", "Hello, World! "), ("sha256=\(digits)", ""),
            ("sha256=\(String(repeating: "0", count: 60_000))", "Hello, World!"),
            ("sha256=" + hex("Hello, World!", "another key of a good length"), "Hello, World!"),
        ] as [(String?, String)])
    func refused(value: String?, body: String) throws {
        let headers = value.map { ["x-hub-signature-256": $0] } ?? [:]
        #expect(refusal(try gitHub(), request(headers, body), at: 0) == 401)
    }

    @Test("Base64 is read with its padding, and digits are none")
    func base64Code() throws {
        let hook = try recipe(#"signed: "{body}", code: {header: x-signature, encoding: base64}"#)
        let text = base64(code(Self.body, key: Self.secret))
        #expect(refusal(hook, request(["x-signature": text]), at: 0) == nil)
        for value in [Self.hex(Self.body), String(text.dropLast()), ""] {
            #expect(refusal(hook, request(["x-signature": value]), at: 0) == 401)
        }
    }

    @Test("One of several codes is enough, and those with another prefix do not count")
    func several() throws {
        let hook = try recipe(#"signed: "{body}", code: {header: x-codes, separator: ",", prefix: "v1="}"#)
        let (old, right) = (Self.hex(Self.body, "another secret of a good length"), Self.hex(Self.body))
        func status(_ value: String) -> Int? { refusal(hook, request(["x-codes": value]), at: 0) }
        #expect(status("v1=\(old),v1=\(right),v0=\(old)") == nil && status("v1=\(old), v1=\(right)") == nil)
        for value in ["v1=\(old),v0=\(right)", "v0=v1=\(right)", "v1=\(right)v1=\(right)", ",", "v1=", "=", "v1"] {
            #expect(status(value) == 401, "\(value)")
        }
    }

    // MARK: The key

    @Test("Two secrets are taken while the key changes, and no third")
    func twoSecrets() throws {
        let next = try keys.secret("the-next-secret-of-the-shop", in: "next")
        let hook = try keys.recipe(#"secret_file: [\#(next), \#(file)], signed: "{body}", code: {header: x}"#)
        for key in [Self.secret, "the-next-secret-of-the-shop"] {
            #expect(refusal(hook, request(["x": Self.hex(Self.body, key)]), at: 0) == nil)
        }
        #expect(refusal(hook, request(["x": Self.hex(Self.body, "the-third-secret-of-the-shop")]), at: 0) == 401)
    }

    @Test("A key in digits or base64 is its bytes, with a prefix or without, with padding or without")
    func encodedKeys() throws {
        // Both are the secret itself.
        let (digits, text) = (Array(Self.secret.utf8).hexadecimal, base64(Array(Self.secret.utf8)))
        let unpadded = text.replacing("=", with: "")
        for (written, keyword) in [
            (digits, "key: hex"), (digits.uppercased(), "key: hex"), (text, "key: base64"), (unpadded, "key: base64"),
            ("whsec_" + text, "key: base64, key_prefix: whsec_"), (text, "key: base64, key_prefix: whsec_"),
        ] {
            let file = try keys.secret(written, in: "encoded")
            let hook = try keys.recipe(#"secret_file: \#(file), \#(keyword), signed: "{body}", code: {header: x}"#)
            #expect(refusal(hook, request(["x": Self.hex(Self.body)]), at: 0) == nil, "\(keyword)")
            #expect(refusal(hook, request(["x": Self.hex(Self.body, written)]), at: 0) == 401, "\(keyword)")
        }
        for (written, words) in [
            ("x" + digits, "it is not in hex"), ("0123456789abcdef", "8 bytes"),
            (digits + "\n" + digits, "it has several lines"), (digits + "\r\n\r\n0a", "it has several lines"),
        ] {
            let file = try keys.secret(written, in: "encoded")
            let mistake = try keys.recipeMistake(
                #"secret_file: \#(file), key: hex, signed: "{body}", code: {header: x}"#)
            #expect(mistake.contains("hook.yaml:1: signature.secret_file") && mistake.contains(words), "\(mistake)")
            #expect(!mistake.contains(written))
        }
    }

    // MARK: The time

    private func timed(_ rest: String = "") throws -> Hook {
        try recipe(
            #"signed: "{timestamp}.{body}", code: {header: s, separator: ",", prefix: "v1="}, "#
                + #"timestamp: {header: s, separator: ",", prefix: "t="\#(rest)}"#)
    }

    @Test("A span of its own holds either way, in seconds or milliseconds")
    func spans() throws {
        for (rest, digits) in [(", within: 10s", ""), (", within: 10s, unit: ms", "999")] {
            let hook = try timed(rest)
            let value = "t=\(Self.now)\(digits),v1=\(Self.hex("\(Self.now)\(digits).\(Self.body)"))"
            for age in [-10, 0, 10] as [Int64] {
                #expect(refusal(hook, request(["s": value]), at: Self.now + age) == nil)
            }
            for age in [-11, 11] as [Int64] {
                #expect(refusal(hook, request(["s": value]), at: Self.now + age) == 401)
            }
        }
        let hook = try timed()
        let old = try #require(throws: HookRefusal.self) {
            _ = try hook.scheme.open(
                request(["s": "t=\(Self.now),v1=\(Self.hex("\(Self.now).\(Self.body)"))"]), at: Self.now + 500)
        }
        #expect(old.reason.contains("signed 500 s ago, expected at most 300 s"))
    }

    @Test("A time that is changed, missing, doubled, empty or huge is refused")
    func times() throws {
        let (hook, code) = (try timed(), Self.hex("\(Self.now).\(Self.body)"))
        #expect(refusal(hook, request(["s": "t=\(Self.now + 1),v1=\(code)"]), at: Self.now) == 401)
        for time in ["", "t=,", "t=x,", "t=-1,", "t=99999999999999999999,", "t=\(Self.now),t=\(Self.now),", "t=٣,"] {
            #expect(refusal(hook, request(["s": "\(time)v1=\(code)"]), at: Self.now) == 400, "\(time)")
        }
        #expect(refusal(hook, request([:]), at: Self.now) == 401)
    }

    // MARK: Fields in place of the body

    @Test("Of thousands of codes in a header a few of the right length are tried, the first ones")
    func manyCodes() throws {
        let hook = try recipe(#"signed: "{body}", code: {header: x-codes, separator: ","}"#)
        let (right, wrong) = (Self.hex(Self.body), Self.hex("something else"))
        func codes(_ texts: [String]) -> HTTPRequest { request(["x-codes": texts.joined(separator: ",")]) }
        let empty = Array(repeating: "00", count: 5000)
        #expect(refusal(hook, codes(empty + [wrong, right]), at: 0) == nil)
        #expect(refusal(hook, codes(Array(repeating: wrong, count: HookSecret.mostCodes) + [right]), at: 0) == 401)
    }

    private static let fields = #"signed: {fields: [id, amount], separator: ":"}, code: {field: code}"#

    private func signedFields(_ members: String, _ signed: String) -> HTTPRequest {
        request([:], #"{\#(members),"code":"\#(Self.hex(signed))"}"#)
    }

    @Test("Fields are signed as they are written: texts, numbers, booleans; what is missing is empty")
    func fieldTexts() throws {
        let hook = try recipe(Self.fields)
        for (members, signed) in [
            (#""id":"A","amount":1.50"#, "A:1.50"), (#""amount":true,"id":7"#, "7:true"),
            (#""id":"A","amount":null"#, "A:"),
            (#""id":"人""#, "人:"), (#""id":"\u0041","amount":"1""#, "A:1"),
        ] {
            #expect(refusal(hook, signedFields(members, signed), at: 0) == nil, "\(members)")
        }
        #expect(refusal(hook, signedFields(#""id":["A"],"amount":"1""#, "A:1"), at: 0) == 401)
        #expect(refusal(hook, request([:], "[1]"), at: 0) == 400)
        #expect(refusal(hook, request([:], "nonsense"), at: 0) == 400)
        // Which of the two would count?
        #expect(refusal(hook, signedFields(#""id":"A","amount":"1","amount":"9""#, "A:1"), at: 0) == 400)
    }

    @Test("A form's fields are signed like those of JSON")
    func form() throws {
        let hook = try recipe(Self.fields)
        var request = request(
            ["content-type": "application/x-www-form-urlencoded"], "id=A+1&amount=2&code=\(Self.hex("A 1:2"))")
        #expect(refusal(hook, request, at: 0) == nil)
        request.body = Array("id=A+1&amount=3&code=\(Self.hex("A 1:2"))".utf8)
        #expect(refusal(hook, request, at: 0) == 401)
    }

    @Test("The border between two fields cannot be moved")
    func borders() throws {
        let plain = try recipe(Self.fields)
        #expect(refusal(plain, signedFields(#""id":"A","amount":"1:2""#, "A:1:2"), at: 0) == 401)
        #expect(refusal(plain, signedFields(#""id":"A:1","amount":"2""#, "A:1:2"), at: 0) == 401)
    }

    @Test("A text of a sender cannot become a member: the same signed text, parted otherwise, is refused")
    func members() throws {
        let hook = try keys.recipe(
            #"secret_file: \#(file), signed: {members: data, separator: "&"}, code: {field: code}"#, id: "data.id",
            amount: "data.amount")
        func status(_ data: String, _ signed: String) -> Int? {
            refusal(hook, signedFields(#""data":\#(data)"#, signed), at: 0)
        }
        let forged = "amount=1&id=A&note=x&z=1"
        #expect(status(#"{"note":"x","id":"A","amount":1}"#, "amount=1&id=A&note=x") == nil)
        #expect(status(#"{"note":"Tom & Jerry = 2","id":"A","amount":1}"#, "amount=1&id=A&note=Tom & Jerry = 2") == nil)
        #expect(status(#"{"note":"x","id":"A","amount":1,"z":"1"}"#, forged) == nil)
        #expect(status(#"{"note":"x&z=1","id":"A","amount":1}"#, forged) == 401)
        #expect(status(#"{"note":"x&z=1","id":"A","amount":1,"":""}"#, "=&amount=1&id=A&note=x&z=1") == 401)
        #expect(status(#"{"amount":1,"id":["A"]}"#, "amount=1&id=A") == 401)
        #expect(status(#"[{"amount":1,"id":"A"}]"#, "amount=1&id=A") == 401)
        #expect(refusal(hook, signedFields(#""id":"A""#, ""), at: 0) == 401)
    }

    @Test("Texts that a provider signs as none are none, but not in a field that is read")
    func emptyTexts() throws {
        let hook = try keys.recipe(
            #"secret_file: \#(file), signed: {members: data, separator: "&", empty: ["null", undefined]}, code: {field: code}"#,
            id: "[data.id, data.part]", amount: "data.amount")
        func status(_ data: String, _ signed: String) -> Int? {
            refusal(hook, signedFields(#""data":\#(data)"#, signed), at: 0)
        }
        let signed = "amount=1&id=A&note=&part="
        for note in ["null", #""null""#, #""undefined""#, "\"\""] {
            #expect(status(#"{"id":"A","amount":1,"note":\#(note),"part":""}"#, signed) == nil, "\(note)")
        }
        // It would be another payment.
        #expect(status(#"{"id":"A","amount":1,"note":"","part":"null"}"#, signed) == 401)
        #expect(status(#"{"id":"A","amount":1,"note":"null","part":""}"#, "amount=1&id=A&note=null&part=") == 401)
    }

    @Test("Headers and fields between texts are signed, and cannot move the texts")
    func templates() throws {
        let hook = try recipe(
            #"signed: "id:{field id};amount:{field amount};request:{header X-Request-Id};", code: {header: x}"#)
        #expect(hook.headers == ["x", "x-request-id"])
        func status(_ body: String, _ id: String?, _ signed: String) -> Int? {
            var headers = ["x": Self.hex(signed)]
            headers["x-request-id"] = id
            return refusal(hook, request(headers, body), at: 0)
        }
        let signed = "id:A-1;amount:1;request:r;"
        #expect(status(Self.body, "r", signed) == nil)
        #expect(status(Self.body, "s", signed) == 401 && status(Self.body, nil, signed) == 401)
        #expect(status(Self.body.replacing("A-1", with: "A-2"), "r", signed) == 401)
        // The same text, read otherwise.
        let moved = "id:A;amount:9;amount:1;request:r;"
        #expect(status(#"{"id":"A;amount:9","amount":"1"}"#, "r", moved) == 401)
        #expect(status(#"{"id":"A","amount":"9;amount:1"}"#, "r", moved) == nil)
    }

    // MARK: Mistakes in the file

    @Test(
        "A recipe that cannot work is refused with file, line and key",
        arguments: [
            (#"signed: "{body}""#, "signature.code: this key is missing"),
            (#"code: {header: x}"#, "signature.signed: this key is missing"),
            (#"signed: "{bodi}", code: {header: x}"#, "signature.signed: expected {body}, {url}"),
            (#"signed: "{body", code: {header: x}"#, "signature.signed: has a { without a }"),
            (#"signed: "body}", code: {header: x}"#, "signature.signed: has a } without a {"),
            (#"signed: "{header a b}{body}", code: {header: x}"#, "found {header a b}"),
            (#"signed: "{field a..b}", code: {header: x}"#, "signature.signed: expected a path"),
            (#"signed: "{header webhook-id}", code: {header: x}"#, "signature.signed: signs nothing of the request"),
            (#"signed: "", code: {header: x}"#, "signature.signed: signs nothing of the request"),
            (#"signed: {fields: [], separator: ":"}, code: {header: x}"#, "fields: signs nothing of the request"),
            (#"signed: "{timestamp}.{body}", code: {header: x}"#, "expected the key timestamp beside it"),
            (#"signed: "{body}", code: {header: x}, timestamp: {header: t}"#, "signature.timestamp: is not signed"),
            (#"signed: "{url}{body}", code: {header: x}"#, "expected the key url beside it"),
            (#"signed: "{body}", url: "https://a", code: {header: x}"#, "signature.url: is of use"),
            (#"signed: "{url}{body}", url: pay.example, code: {header: x}"#, "signature.url: expected the address"),
            (#"signed: "{body}{header a}", code: {header: x}"#, "a placeholder behind {body}"),
            (#"signed: "{header a}{body}", code: {header: x}"#, "two placeholders in a row"),
            (
                #"signed: "{timestamp}{field id}", code: {header: x}, timestamp: {header: t}"#,
                "two placeholders in a row"
            ),
            (#"signed: "{timestamp}1{body}", code: {header: x}, timestamp: {header: t}"#, "a digit behind {timestamp}"),
            (#"signed: {body}, code: {header: x}"#, "written in quotes"),
            (#"signed: {fields: [id]}, code: {header: x}"#, "signature.signed.separator: this key is missing"),
            (#"signed: {fields: [id], separator: ""}, code: {header: x}"#, "expected at least one character"),
            (
                #"signed: {fields: [id, amount], separator: ":", escape: x}, code: {header: x}"#,
                "signed.escape: unknown key"
            ),
            (#"signed: {fields: [id], members: data, separator: ":"}, code: {header: x}"#, "found both"),
            (#"signed: "{body}", code: {field: code}"#, "signature.code.field: is in the body"),
            (#"signed: "{body}", code: {}"#, "signature.code: expected either header or field, found neither"),
            (#"signed: "{body}", code: {header: x, field: y}"#, "found both"),
            (#"signed: "{body}", code: {header: "a b"}"#, "signature.code.header: expected the name of a header"),
            (#"signed: "{body}", code: {header: x, encoding: hax}"#, #"did you mean "hex"?"#),
            (#"signed: "{body}", code: {header: x, separator: ""}"#, "expected at least one character"),
            (
                #"signed: "{body}", code: {header: x, prefx: y}"#,
                #"signature.code.prefx: unknown key; did you mean "prefix"?"#
            ),
            (#"signed: "{body}", code: {header: x}, hash: sha1"#, "signature.hash: expected one of sha256, sha512"),
            (#"signed: "{body}", code: {header: x}, key: utf8"#, "signature.key: expected one of text, hex, base64"),
            (#"signed: "{body}", code: {header: x}, key_prefix: a"#, "signature.key_prefix: is of use"),
            (#"signed: "{body}", code: {header: x}, header: y"#, "signature.header: unknown key"),
            (
                #"signed: "{timestamp}{body}", code: {header: x}, timestamp: {header: t, within: 2d}"#,
                "signature.timestamp.within: expected a time span"
            ),
            (
                #"signed: "{timestamp}{body}", code: {header: x}, timestamp: {header: t, unit: min}"#,
                "signature.timestamp.unit: expected one of s, ms"
            ),
        ])
    func mistakes(section: String, words: String) throws {
        let mistake = try keys.recipeMistake("secret_file: \(file), \(section)")
        #expect(mistake.hasPrefix("hook.yaml:1: signature") && mistake.contains(words), "\(mistake)")
    }

    @Test(
        "A recipe that no request could ever meet is refused with file, line and key",
        arguments: [
            (
                #"signed: "{body}", code: {header: x, separator: ",", prefix: "v1,"}"#,
                "code.prefix: holds the separator"
            ),
            (#"signed: "{body}", code: {header: x, prefix: " v1="}"#, "code.prefix: begins with a blank"),
            (#"signed: "{body}", code: {header: x, prefix: "v1=\n"}"#, "code.prefix: has a character that no header"),
            (
                #"signed: "{body}", code: {header: x, separator: "\n"}"#,
                "code.separator: has a character that no header"
            ),
            (#"signed: "{body}", code: {header: x, prefix: ""}"#, "code.prefix: expected at least one character"),
            (#"signed: "{body}", code: {header: x, separator: a}"#, "code.separator: would part the text itself"),
            (
                #"signed: "{body}", code: {header: x, encoding: base64, separator: "="}"#,
                "code.separator: would part the text itself"
            ),
            (
                #"signed: "{header X}.{body}", code: {header: x}"#,
                "signature.code: is in the header x, which signed names"
            ),
            (#"signed: "{field id}.{field code}", code: {field: code}"#, "signature.code: is in the field code, which"),
            (#"signed: {fields: [id, code], separator: ":"}, code: {field: code}"#, "no code can sign itself"),
            (#"signed: {fields: [id, a], separator: ":"}, code: {field: a.code}"#, "no code can sign itself"),
            (#"signed: {members: data, separator: "&"}, code: {field: data.code}"#, "no code can sign itself"),
            (#"signed: {members: data, separator: "="}, code: {field: code}"#, "would part name=value itself"),
            (#"signed: {members: data, separator: "and"}, code: {field: code}"#, "would part name=value itself"),
            (
                #"signed: "{timestamp}.{body}", code: {header: s, prefix: "v1="}, timestamp: {header: S, prefix: "t="}"#,
                "signature.timestamp: is in the header of code; expected separator in both"
            ),
            (
                #"signed: "{timestamp}.{body}", code: {header: s, separator: ",", prefix: "v1="}, "#
                    + #"timestamp: {header: s, separator: ","}"#,
                "signature.timestamp: is in the header of code; expected another prefix"
            ),
            (
                #"signed: "{timestamp}.{body}", code: {header: x}, timestamp: {header: t, separator: "0"}"#,
                "timestamp.separator: would part the text itself"
            ),
            (#"token: {header: x, prefix: " Bearer "}"#, "token.prefix: begins with a blank"),
        ])
    func neverMet(section: String, words: String) throws {
        let mistake = try keys.recipeMistake("secret_file: \(file), \(section)")
        #expect(mistake.hasPrefix("hook.yaml:1: signature") && mistake.contains(words), "\(mistake)")
    }

    @Test(
        "What decides about money is signed, or the hook does not load",
        arguments: [
            ("id: nr", "id: nr is not signed"), ("id: [id, nr]", "id[1]: nr is not signed"),
            ("amount: {field: total, unit: decimal}", "amount.field: total is not signed"),
            ("currency: {field: currency}", "currency.field: currency is not signed"),
            ("kind: {field: kind}", "kind.field: kind is not signed"),
            ("merchant: {field: shop}", "merchant.field: shop is not signed"),
            ("device: {field: till}", "device.field: till is not signed"),
            (
                "conditions: [{field: state, values: [paid], otherwise: ignore}]",
                "conditions[0].field: state is not signed"
            ),
        ])
    func unsigned(line: String, words: String) throws {
        func lines(_ signed: String) -> String {
            let key = line.prefix { $0 != ":" }
            let others = [
                "id: id", "amount: {field: amount, unit: decimal}", "merchant: {constant: M1001}",
                "device: {constant: box-01}",
            ].filter { !$0.hasPrefix("\(key):") }
            return (["signature: {secret_file: \(file), \(signed)}"] + [line] + others).joined(separator: "\n")
        }
        let mistake = try #require(throws: YAMLError.self) { try keys.hook(text: lines(Self.fields)) }.description
        #expect(mistake.hasPrefix("hook.yaml:2: \(words), so that anybody can change it"), "\(mistake)")
        let names = "id, amount, nr, total, currency, kind, shop, till, state"
        for signed in [
            #"signed: {fields: [\#(names)], separator: ":"}, code: {field: code}"#,
            #"signed: "{body}", code: {header: x}"#, "token: {header: x}",
        ] { _ = try keys.hook(text: lines(signed)) }
    }

    @Test("An amount that quotes make another one is not read of signed fields")
    func quotes() throws {
        func text(_ signed: String, _ thousands: String) -> String {
            """
            signature: {secret_file: \(file), \(signed)}
            merchant: {constant: M1001}
            device: {constant: box-01}
            id: id
            amount: {field: amount, unit: decimal, thousands: "\(thousands)", decimal: "\(thousands == "." ? "," : ".")"}
            """
        }
        let mistake = try #require(throws: YAMLError.self) { try keys.hook(text: text(Self.fields, ".")) }.description
        #expect(mistake.hasPrefix("hook.yaml:5: amount.thousands: reads 1.234"), "\(mistake)")
        _ = try keys.hook(text: text(Self.fields, ","))
        _ = try keys.hook(text: text(#"signed: "{body}", code: {header: x}"#, "."))
    }

    @Test("Of a list's elements the signed fields are inside each; what is beside the list is not signed")
    func unsignedBesideList() throws {
        let signed = #"secret_file: \#(file), signed: {fields: [id, amount], separator: ":"}, code: {field: code}"#
        _ = try keys.recipe(signed, others: "each: rows")
        let mistake = try keys.recipeMistake(signed, device: "{field: $.id}", others: "each: rows")
        #expect(mistake.contains("device.field: $.id is not signed"), "\(mistake)")
    }

    @Test("A hook has one way to prove who sends")
    func one() throws {
        let both =
            "hook: {scheme: alipay}\nsignature: {}\nid: id\namount: {field: a, unit: decimal}\n"
            + "merchant: {constant: M}\ndevice: {constant: d}"
        let mistake = try #require(throws: YAMLError.self) { try keys.hook(text: both) }.description
        #expect(mistake.contains("expected either signature or hook, found both"))
        let none = both.split(separator: "\n").dropFirst(2).joined(separator: "\n")
        let missing = try #require(throws: YAMLError.self) { try keys.hook(text: none) }.description
        #expect(missing.contains("expected either signature or hook, found neither"))
    }

    @Test("The secrets are in no description")
    func hidden() throws {
        var dumped = ""
        dump(try recipe(#"signed: "{body}", code: {header: x}"#).scheme, to: &dumped)
        #expect(!dumped.contains(Self.secret) && dumped.contains("••••••"))
    }
}
