import SoundboxCore
import SoundboxYAML
import Testing

@testable import SoundboxConfiguration

@Suite("The language of mappings")
struct MappingLanguageTests {
    private func decoder(_ yaml: String) throws -> MappedNoticeDecoder {
        MappedNoticeDecoder(mapping: try PaymentMapping(parsing: yaml, file: "m.yaml"), defaultCurrency: .CNY)
    }

    /// One line for each notice: what is said, or why nothing is.
    private func read(_ payload: String, _ yaml: String) throws -> [String] {
        let decoder = try decoder(yaml)
        do throws(NoticeRejection) {
            return try decoder.decodeAll(Array(payload.utf8)).map { read in
                switch read {
                case .notice(let notice, _): "\(notice.id) \(notice.money)\(notice.kind == .payment ? "" : " refund")"
                case .ignored(let reason): "ignored: \(reason)"
                case .ignoredByAbsence(let reason): "absent: \(reason)"
                case .refused(let rejection): "refused: \(rejection)"
                }
            }
        } catch { return ["rejected: \(error)"] }
    }

    private func problem(_ yaml: String) -> String? {
        do {
            _ = try decoder(yaml)
            return nil
        } catch { return "\(error)" }
    }

    private static let plain = "id: id\namount: {field: amount, unit: decimal}\n"

    // MARK: Several payments in one message

    private static let each = "each: data\nid: tid\namount: {field: amount, unit: cents}\n"

    @Test("Each element of a list is a payment, and one that cannot be read costs no other")
    func list() throws {
        let payload = #"{"data":[{"tid":"B1","amount":50000},{"tid":"B2","amount":"x"},{"tid":"B3","amount":70000}]}"#
        let read = try read(payload, Self.each)
        #expect(read.count == 3 && read[0] == "B1 500 CNY" && read[2] == "B3 700 CNY")
        #expect(read[1].hasPrefix("refused: data.1.amount: expected a whole number"))
    }

    @Test("A condition judges each element by itself, and one of the whole message all of them")
    func conditionsInList() throws {
        let yaml =
            Self.each + "conditions:\n  - {field: type, values: [in], otherwise: ignore}\n"
            + "  - {field: $.event, values: [paid], otherwise: ignore}\n"
        let rows = #"[{"tid":"B1","amount":1,"type":"out"},{"tid":"B2","amount":2,"type":"in"}]"#
        #expect(
            try read(#"{"event":"paid","data":\#(rows)}"#, yaml) == [#"ignored: data.0.type is "out""#, "B2 0.02 CNY"])
        #expect(try read(#"{"event":"closed","data":\#(rows)}"#, yaml) == [#"ignored: event is "closed""#])
        #expect(try read(#"{"event":"closed"}"#, yaml) == [#"ignored: event is "closed""#])
    }

    @Test("A field beside the list begins with $.")
    func outside() throws {
        let yaml = Self.each + "currency: {field: $.currency}\n"
        #expect(
            try read(#"{"currency":"JPY","data":[{"tid":"1","amount":500},{"tid":"2","amount":700}]}"#, yaml)
                == ["1 5 JPY", "2 7 JPY"])
        #expect(problem(Self.each + "kind: {field: $.}\n") != nil)
        #expect(
            problem("each: data\nid: $.id\namount: {field: a, unit: cents}")?.contains("same for every element") == true
        )
        #expect(problem("id: $.id\namount: {field: a, unit: cents}")?.contains("each") == true)
    }

    @Test("A list that is empty, missing, no list or too long says so")
    func otherLists() throws {
        #expect(try read(#"{"data":[]}"#, Self.each) == ["ignored: data is an empty list"])
        #expect(try read("{}", Self.each) == ["rejected: data: this field is missing"])
        #expect(try read(#"{"data":{"tid":"1"}}"#, Self.each) == ["rejected: data: expected a list, found an object"])
        let many = (0...256).map { #"{"tid":"\#($0)","amount":1}"# }.joined(separator: ",")
        #expect(try read(#"{"data":[\#(many)]}"#, Self.each)[0].hasPrefix("rejected: data: has 257 elements"))
        #expect(try read(#"{"data":[1]}"#, Self.each) == ["refused: data.0.tid: this field is missing"])
    }

    @Test("A path that takes one element where more have come is refused, also when that one is to be ignored")
    func oneOfSeveral() throws {
        let yaml =
            "id: data.0.tid\namount: {field: data.0.amount, unit: cents}\n"
            + "conditions: [{field: data.0.type, values: [in], otherwise: ignore}]\n"
        #expect(try read(#"{"data":[{"tid":"B1","amount":1,"type":"in"}]}"#, yaml) == ["B1 0.01 CNY"])
        let two = #"{"data":[{"tid":"B1","amount":1,"type":"out"},{"tid":"B2","amount":2,"type":"in"}]}"#
        #expect(try read(two, yaml)[0].hasPrefix("rejected: data.0.tid: data has 2 elements"))
    }

    @Test("An element is found by a member's value, wherever it stands")
    func byName() throws {
        let yaml = "id: Body.Item[Name=Receipt].Value\namount: {field: 'Body.Item[Name=Amount].Value', unit: decimal}\n"
        for items in [
            #"{"Name":"Amount","Value":5},{"Name":"Receipt","Value":"R1"}"#,
            #"{"Name":"Receipt","Value":"R1"},{"Name":"Phone","Value":254},{"Name":"Amount","Value":5}"#,
        ] {
            #expect(try read(#"{"Body":{"Item":[\#(items)]}}"#, yaml) == ["R1 5 CNY"])
        }
        #expect(
            try read(#"{"Body":{"Item":[{"Name":"Receipt","Value":"R1"}]}}"#, yaml)[0]
                .contains("Body.Item has no element with Name=Amount"))
        let twice = #"{"Name":"Receipt","Value":"R1"},{"Name":"Amount","Value":5},{"Name":"Amount","Value":6}"#
        #expect(try read(#"{"Body":{"Item":[\#(twice)]}}"#, yaml)[0].contains("has 2 elements with Name=Amount"))
        for path in ["a[", "a[b]", "a[=c]", "a[b=]", "[b=c]", "a[b=c]d", "a[b=c", "a]"] {
            #expect(FieldPath(path) == nil, "\(path)")
        }
    }

    // MARK: Conditions

    @Test(
        "Conditions say what people mean",
        arguments: [
            ("above: 0", "1", true), ("above: 0", "0", false), ("above: 0", "-1", false), ("above: 10", "9.5", false),
            ("above: 9.5", "\"10\"", true), ("below: 100", "99.99", true), ("below: 100", "1e2", false),
            ("above: 1, below: 3", "2", true), ("above: 1, below: 3", "3", false), ("not: [5, 6]", "5.0", false),
            ("not: [5, 6]", "7", true), ("not: [FAILED]", "\"OK\"", true), ("matches: \"PAY*\"", "\"PAYMENT\"", true),
            ("matches: \"PAY*\"", "\"REPAY\"", false), ("matches: \"?AY\"", "\"PAY\"", true),
            ("matches: \"?AY\"", "\"AY\"", false), ("matches: [A*, \"*Z\"]", "\"XYZ\"", true),
            ("matches: \"*\"", "0", true), ("above: -5", "-4.5", true), ("below: -5", "-10", true),
        ])
    func tests(test: String, value: String, isMet: Bool) throws {
        let yaml = Self.plain + "conditions: [{field: f, \(test), otherwise: ignore}]"
        let read = try read(#"{"id":"A","amount":"1","f":\#(value)}"#, yaml)
        #expect(isMet == (read == ["A 1 CNY"]), "\(read)")
    }

    @Test("What is no number is refused where a number is compared, and never ignored")
    func noNumber() throws {
        let yaml = Self.plain + "conditions: [{field: f, above: 0, otherwise: ignore}]"
        for value in [#""ten""#, "true", "[]", #""1,000""#] {
            #expect(
                try read(#"{"id":"A","amount":"1","f":\#(value)}"#, yaml)[0].hasPrefix("rejected: f: expected a "),
                "\(value)")
        }
    }

    @Test("otherwise judges what is there, absent what is missing; null is met by absence, an empty text is as null")
    func absence() throws {
        func outcome(_ keys: String, _ f: String) throws -> String {
            let yaml = Self.plain + "conditions: [{field: f, \(keys)}]"
            return try read(#"{"id":"A","amount":"1"\#(f)}"#, yaml)[0].split(separator: ":").first.map(String.init)
                ?? ""
        }
        for f in ["", #","f":null"#, #","f":"""#] {
            #expect(try outcome("values: [OK], otherwise: ignore", f) == "rejected")
            #expect(try outcome("values: [OK], otherwise: ignore, absent: ignore", f) == "absent")
            #expect(try outcome("values: [OK], otherwise: refuse, absent: ignore", f) == "absent")
            #expect(try outcome("values: [OK, null], otherwise: refuse", f) == "A 1 CNY")
            #expect(try outcome("not: [OK], otherwise: refuse, absent: ignore", f) == "absent")
        }
        #expect(try outcome("values: [OK], otherwise: ignore", #","f":"NO""#) == "ignored")
        #expect(try outcome("values: [OK], otherwise: reject", #","f":"NO""#) == "rejected")
        #expect(try outcome("values: [OK, \"\"], otherwise: refuse", #","f":"""#) == "A 1 CNY")
    }

    @Test(
        "A condition that nothing can meet does not load",
        arguments: [
            "field: f, values: [\"> 0\"]", "field: f, values: [\">=10\"]", "field: f, values: [\"!= FAILED\"]",
            "field: f, values: [\"PAY*\"]", "field: f, values: [\"A|B\"]", "field: f, values: [\" OK\"]",
            "field: f, values: [\"not FAILED\"]", "field: f, values: [\"/^OK$/\"]", "field: f, values: []",
            "field: amount, values: [paid]", "field: f, above: ten", "field: f, above: 5, below: 5",
            "field: f, above: 5, below: 1", "field: f, values: [1], above: 1", "field: f, values: [OK], not: [OK]",
            "field: f, values: [OK], matches: \"N*\"", "field: f", "field: id, values: [null]",
        ])
    func neverMet(keys: String) {
        let problem = problem(Self.plain + "conditions: [{\(keys), otherwise: ignore}]")
        #expect(problem?.hasPrefix("m.yaml:3") == true, "\(problem ?? "loads")")
    }

    @Test(
        "What only looks like a list or a pattern does not load",
        arguments: [
            "values: OK, PAID", "values: OK", "values:", "not: REFUND, CANCEL", "not:", "values: -OK",
            "values: [\"'OK'\"]", "matches: \"^OK.*$\"", "matches: \"OK|PAID\"", "matches: \"OK* \"", "matches:",
            "matches: \"!REF*\"",
        ])
    func looksLike(keys: String) {
        let problem = problem(Self.plain + "conditions:\n  - field: f\n    \(keys)\n    otherwise: ignore\n")
        #expect(problem?.hasPrefix("m.yaml:5") == true, "\(problem ?? "loads")")
    }

    @Test("Nothing is ignored because of one of several elements, of half a character, or of a list for a text")
    func notIgnored() throws {
        let list = "each: groups.0.items\nid: id\namount: {field: a, unit: decimal}\n"
        #expect(
            try read(#"{"groups":[{"items":[]},{"items":[{"id":"N1","a":"1"}]}]}"#, list)[0]
                .contains("groups has 2 elements"))
        func top(_ condition: String, _ rest: String) throws -> String {
            try read(
                #"{\#(rest),"data":[{"tid":"1","amount":1}]}"#,
                Self.each + "conditions: [{\(condition), otherwise: ignore}]")[0]
        }
        #expect(
            try top("field: $.ev.0.type, values: [PAY]", #""ev":[{"type":"X"},{"type":"PAY"}]"#).contains(
                "ev has 2 elements"))
        #expect(try top("field: $.st, values: [PAY]", #""st":"P\ud800AY""#).hasPrefix("rejected: st: holds half"))
        #expect(try top("field: $.st, values: [PAY]", #""st":["PAY"]"#).hasPrefix("rejected: st: expected a text"))
        for rows in [#"[["R1","1"],["R2","2"]]"#, #"{"0":["R1","1"],"2":["R2","2"]}"#] {
            #expect(
                try read(#"{"rows":\#(rows)}"#, "id: rows.0.0\namount: {field: rows.0.1, unit: decimal}\n")[0]
                    .contains("rows has 2 elements"))
        }
        let german =
            "id: id\namount: {field: a, unit: decimal, thousands: '.', decimal: ','}\n"
            + "conditions: [{field: a, above: 1, otherwise: ignore}]"
        #expect(try read(#"{"id":"A","a":"0.500"}"#, german)[0].hasPrefix("rejected: a: "))
        #expect(
            try read(#"{"t":"","r":"s","amount":"1"}"#, "id: [t, r]\namount: {field: amount, unit: decimal}")[0]
                .hasPrefix("rejected: t: this field is empty"))
    }

    @Test("A prefix stands before every id, also one of several fields, and an empty id stays none")
    func idPrefix() throws {
        func yaml(_ id: String) -> String { "id: \(id)\namount: {field: a, unit: decimal}\n" }
        #expect(try read(#"{"t":7,"a":1}"#, yaml("{field: t, prefix: pay-}")) == ["pay-7 1 CNY"])
        let several = yaml(#"{field: [t, r], prefix: "p/"}"#)
        #expect(try read(#"{"t":"A/B","r":"1","a":1}"#, several) == ["p/A%2FB/1 1 CNY"])
        #expect(try read(#"{"t":"A","a":1}"#, several) == ["p/A 1 CNY"])
        #expect(
            try read(#"{"t":"","a":1}"#, yaml("{field: t, prefix: pay-}"))[0].hasPrefix(
                "rejected: t: must not be empty"))
        #expect(
            try read(#"{"a":1}"#, yaml("{field: t, prefix: pay-}"))[0].hasPrefix("rejected: t: this field is missing"))
        for (id, words) in [
            ("{field: t}", "m.yaml:1: id.prefix: this key is missing"),
            ("{prefix: a}", "id.field: this key is missing"),
            (#"{field: t, prefix: ""}"#, "id.prefix: must not be empty"),
            ("{field: t, prefix: a, x: b}", "id.x: unknown key"),
            (#"{field: t, prefix: "a\n"}"#, "id.prefix: must not contain control characters"),
        ] { #expect(problem(yaml(id))?.contains(words) == true, "\(problem(yaml(id)) ?? "none")") }
    }

    // MARK: Amounts

    @Test("With thousands parted by points a number is refused that would be another amount as a text")
    func numbersBesideThousands() throws {
        func yaml(_ separators: String) -> String {
            "id: id\namount: {field: a, unit: decimal, \(separators)}\ncurrency: {constant: KWD}\n"
        }
        func amount(_ written: String) throws -> String {
            try read(#"{"id":"A","a":\#(written)}"#, yaml(#"thousands: ".", decimal: ",""#))[0]
        }
        #expect(try amount(#""1.234""#) == "A 1234 KWD")
        #expect(try amount(#""1.234,5""#) == "A 1234.5 KWD")
        for written in ["1.234", "12.500", "123.456"] {
            let refusal = try amount(written)
            #expect(refusal.hasPrefix("rejected: a: \(written) is \(written) as a number, and "), "\(refusal)")
        }
        for (written, money) in [
            ("1.5", "1.5"), ("1.23", "1.23"), ("1234", "1234"), ("0.500", "0.5"), ("1.234e3", "1234"),
        ] {
            #expect(try amount(written) == "A \(money) KWD")
        }
        // Between commas and points nothing can be mistaken.
        for written in ["1.234", #""1.234""#] {
            let outcome = try read(#"{"id":"A","a":\#(written)}"#, yaml(#"thousands: ",""#))
            #expect(outcome == ["A 1.234 KWD"], "\(outcome)")
        }
    }

    @Test("A minus means what the mapping says")
    func negative() throws {
        func outcome(_ negative: String, _ amount: String, _ unit: String = "decimal") throws -> String {
            try read(
                #"{"id":"A","amount":\#(amount)}"#,
                "id: id\namount: {field: amount, unit: \(unit)\(negative)}\n")[0]
        }
        for amount in ["-5", #""-5.00""#, "\"\u{2212}5\""] {
            #expect(try outcome(", negative: ignore", amount) == "ignored: amount is negative")
            #expect(try outcome(", negative: refund", amount) == "A 5 CNY refund")
            #expect(try outcome("", amount).hasPrefix("rejected: amount: "))
            #expect(try outcome(", negative: refuse", amount).hasPrefix("rejected: amount: "))
        }
        #expect(try outcome(", negative: refund", "-500", "cents") == "A 5 CNY refund")
        #expect(try outcome(", negative: refund", "500", "cents") == "A 5 CNY")
        #expect(try outcome(", negative: refund", "-0").hasPrefix("rejected: amount: must be greater than zero"))
    }

    @Test("Decimals other than those of ISO 4217 are the mapping's")
    func decimals() throws {
        let yaml = "id: id\namount: {field: v, unit: minor, decimals: {IDR: 2, ISK: 2}}\ncurrency: {field: c}\n"
        #expect(try read(#"{"id":"A","v":1500000,"c":"IDR"}"#, yaml) == ["A 15000 IDR"])
        #expect(try read(#"{"id":"A","v":1500,"c":"ISK"}"#, yaml) == ["A 15 ISK"])
        #expect(try read(#"{"id":"A","v":1500,"c":"EUR"}"#, yaml) == ["A 15 EUR"])
        #expect(try read(#"{"id":"A","v":1500,"c":"JPY"}"#, yaml) == ["A 1500 JPY"])
        for wrong in [
            "unit: cents, decimals: {IDR: 2}", "unit: minor, decimals: {XYZ: 2}", "unit: minor, decimals: {IDR: 10}",
        ] {
            #expect(problem("id: id\namount: {field: v, \(wrong)}")?.hasPrefix("m.yaml:2") == true)
        }
    }
}
