import SoundboxControl
import SoundboxCore

extension HTTPResponse {
    static func json(_ members: [(name: String, value: JSONValue)], status: Int) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "application/json", body: JSONValue.object(members).bytes)
    }
}

/// The signature covers what the mapping reads, nothing is encrypted, and keys do not end.
extension HookScheme {
    package func warnings(at unixSeconds: Int64) -> [String] { [] }

    package var signed: String? { nil }

    package func document(inGenuine body: [UInt8]) throws(HookRefusal) -> [UInt8] { body }
}

/// What suits every provider that looks at the status only.
extension HookScheme {
    package var accepted: HTTPResponse { .json([("success", .bool(true))], status: 200) }

    package func failed(_ reason: String) -> HTTPResponse {
        .json([("success", .bool(false)), ("message", .string(reason))], status: 500)
    }
}
