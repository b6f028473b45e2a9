import SoundboxCore

extension HookAnswer {
    static func json(_ members: [(name: String, value: JSONValue)], status: Int) -> HookAnswer {
        HookAnswer(status: status, contentType: "application/json", body: JSONValue.object(members).bytes)
    }
}

/// What suits every provider that looks at the status only.
extension HookScheme {
    package var accepted: HookAnswer { .json([("success", .bool(true))], status: 200) }

    package func failed(_ reason: String) -> HookAnswer {
        .json([("success", .bool(false)), ("message", .string(reason))], status: 500)
    }
}
