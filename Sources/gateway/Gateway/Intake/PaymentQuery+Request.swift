import SoundboxControl
import SoundboxCore

/// What is wrong with a parameter of a request.
struct ParameterProblem: Error, Equatable {
    let parameter: String
    let problem: String
}

extension PaymentQuery {
    static let limits = 1...1000
    static let parameters = ["merchant", "device", "since", "limit", "after"]

    /// Reads `merchant`, `device`, `since`, `limit` and `after`.
    init(reading query: [(name: String, value: String)]) throws(ParameterProblem) {
        var values: [String: String] = [:]
        for (name, value) in query {
            guard Self.parameters.contains(name) else {
                throw ParameterProblem(
                    parameter: name.excerpt, problem: "unknown; expected merchant, device, since, limit or after")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw ParameterProblem(parameter: name, problem: "is there twice")
            }
        }
        func number(_ name: String, in range: ClosedRange<Int64>) throws(ParameterProblem) -> Int64? {
            guard let text = values[name] else { return nil }
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text), range ~= number else {
                throw ParameterProblem(
                    parameter: name,
                    problem: name == "after"
                        ? "expected the next of the page before"
                        : "expected a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        self.init()
        limit =
            try number("limit", in: Int64(Self.limits.lowerBound)...Int64(Self.limits.upperBound)).map { Int($0) }
            ?? limit
        after = try number("after", in: 0 ... .max / 2) ?? 0
        if let text = values["since"] {
            guard let time = Timestamp(rfc3339: text) else {
                throw ParameterProblem(
                    parameter: "since", problem: "expected a time such as 2026-11-28T10:15:00Z, with its offset")
            }
            since = time
        }
        if let merchant = values["merchant"] {
            do { _ = try BoxID(merchant: merchant, device: "device") } catch {
                throw ParameterProblem(parameter: "merchant", problem: error.problem)
            }
            merchants = [merchant]
        }
        guard let device = values["device"] else { return }
        guard let merchant = values["merchant"] else {
            throw ParameterProblem(parameter: "device", problem: "needs merchant beside it")
        }
        do { box = try BoxID(merchant: merchant, device: device) } catch {
            throw ParameterProblem(parameter: "device", problem: error.problem)
        }
    }
}

extension PaymentPage {
    var json: JSONValue {
        .object([
            ("payments", .array(payments.map(\.json))), ("next", next.map { .string("\($0)") } ?? .null),
        ])
    }
}
