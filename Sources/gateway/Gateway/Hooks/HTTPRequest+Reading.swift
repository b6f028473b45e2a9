import SoundboxControl
import SoundboxCore

extension HTTPRequest {
    /// Without the blanks around it.
    /// - Throws: 401 without this header: only a stranger leaves it out.
    func header(_ name: String) throws(HookRefusal) -> String {
        guard let value = headers[name] else { throw HookRefusal(status: 401, reason: "the header \(name) is missing") }
        return value.withoutOuterBlanks
    }

    /// The JSON object of the body.
    func object() throws(HookRefusal) -> JSONValue {
        let json: JSONValue
        do { json = try JSONValue(parsing: body) } catch {
            throw HookRefusal(status: 400, reason: "the body is \(error)")
        }
        guard case .object = json else {
            throw HookRefusal(status: 400, reason: "the body is \(json.kind); expected a JSON object")
        }
        return json
    }
}
