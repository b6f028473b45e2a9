import SoundboxCore
import SoundboxYAML
import Testing

@Suite("Reading YAML mappings and files")
struct YAMLMappingTests {
    private static let config = """
        merchant_id: M1
        broker:
          url: mqtt://x
          usrname: shop
        audio: {device: default, volum: 80}
        annonce:
          currency: CNY
        """

    private func top(_ text: String = config) throws -> YAMLMapping {
        try YAMLValue(parsing: text, file: "box.yaml").mapping()
    }

    private func ask(_ mapping: YAMLMapping, for keys: String...) throws {
        for key in keys { _ = mapping.optional(key) }
        try mapping.refuseOtherKeys()
    }

    private func parsingError(_ text: String) throws -> YAMLError {
        try #require(throws: YAMLError.self) { try YAMLValue(parsing: text, file: "box.yaml") }
    }

    @Test("An unknown key is named with file, line and path, and the nearest known key is suggested")
    func unknownKeys() throws {
        let broker = try top().required("broker").mapping()
        #expect(
            throws: YAMLError(
                file: "box.yaml", line: 4, key: "broker.usrname", problem: "unknown key; did you mean \"username\"?")
        ) { try ask(broker, for: "url", "username", "password_file") }
        let audio = try top().required("audio").mapping()
        let error = try #require(throws: YAMLError.self) { try ask(audio, for: "device", "volume") }
        #expect(error.description == "box.yaml:5: audio.volum: unknown key; did you mean \"volume\"?")
    }

    @Test("The line of a key is its own, also when its value begins on the next line")
    func lineOfKey() throws {
        let error = try #require(throws: YAMLError.self) {
            try ask(top(), for: "merchant_id", "broker", "audio", "announce")
        }
        #expect(error.description == "box.yaml:6: annonce: unknown key; did you mean \"announce\"?")
    }

    @Test("A key unlike all others is answered with the list of known keys")
    func noNearKey() throws {
        let error = try #require(throws: YAMLError.self) { try ask(top("zzzzzzz: 1"), for: "url", "port") }
        #expect(error.problem == "unknown key; expected one of url, port")
    }

    @Test("Known keys may all be missing; a required one is named with its path and the mapping's line")
    func missingKeys() throws {
        let broker = try top().required("broker").mapping()
        #expect(broker.optional("port") == nil)
        #expect(
            throws: YAMLError(file: "box.yaml", line: 2, key: "broker.port", problem: "this key is missing")
        ) { try broker.required("port") }
        try ask(top(), for: "merchant_id", "broker", "audio", "annonce", "never_written")
    }

    @Test("Where a required key is missing and another is one slip away from it, that one is named")
    func slipOfARequiredKey() throws {
        let broker = try top().required("broker").mapping()
        let error = try #require(throws: YAMLError.self) { try broker.required("username") }
        #expect(error.description == "box.yaml:4: broker.usrname: unknown key; did you mean \"username\"?")
        let cut = try top("device: box-01\n")
        let whole = try #require(throws: YAMLError.self) { try cut.required("device_id") }
        #expect(whole.description == "box.yaml:1: device: unknown key; did you mean \"device_id\"?")
        // A key that is known already is no slip, however near it is.
        let near = try top("ca_file: a\n")
        _ = near.optional("ca_file")
        #expect(throws: YAMLError(file: "box.yaml", line: 1, key: "cb_file", problem: "this key is missing")) {
            try near.required("cb_file")
        }
    }

    @Test("Keys are remembered from one reader of a mapping to the next")
    func severalReaders() throws {
        let value = try YAMLValue(parsing: "a: 1\nb: 2\n", file: "box.yaml")
        _ = try value.mapping().required("a")
        _ = try value.mapping().required("b")
        try value.mapping().refuseOtherKeys()
        _ = try value.mapping().optional("c")
        try value.mapping().refuseOtherKeys()
    }

    @Test("A key that stands twice is refused with its line", arguments: ["a: 1\nb: 2\na: 3\n", "a: 1\n'a': 2\n"])
    func duplicates(text: String) throws {
        let error = try parsingError(text)
        #expect(error.line == 1)
        #expect(error.problem == "the same key twice: a")
        #expect(try parsingError("x:\n  y:\n    a: 1\n    a: 2\n").line == 3)
    }

    @Test(
        "What is not YAML is refused with the line",
        arguments: [
            ("a: 1\n b: 2\n", 2), ("a: [1, 2\n", 2), ("a: \"open\n", 2), ("a: 1\n\tb: 2\n", 2), ("a: *nowhere\n", 1),
            ("a: 1\n---\nb: 2\n", 2), ("a: }\n", 1), ("a: !<\n", 1),
        ])
    func notYAML(text: String, line: Int) throws {
        let error = try parsingError(text)
        #expect(error.file == "box.yaml")
        #expect(error.line == line, "\(error)")
        #expect(error.problem.hasPrefix("not valid YAML: "))
        #expect(!error.description.contains("\n"))
    }

    @Test("An empty file is told apart from a broken one", arguments: ["", "# only a comment\n", "\n\n"])
    func empty(text: String) throws {
        #expect(try parsingError(text).description == "box.yaml: the file is empty")
    }

    @Test("Merge keys mean nothing: they are unknown keys like any other")
    func mergeKeys() throws {
        let text = "base: &base {a: 1}\nuse:\n  <<: *base\n  b: 2\n"
        let use = try top(text).required("use").mapping()
        #expect(use.optional("a") == nil)
        let error = try #require(throws: YAMLError.self) { try ask(use, for: "a", "b") }
        #expect(error.key == "use.<<")
    }

    @Test("An alias stands for its value")
    func aliases() throws {
        #expect(try top("a: &x shop\nb: *x\n").required("b").string() == "shop")
        let text = "a: &x {c: 1}\n" + (1...20).map { "b\($0): *x\n" }.joined()
        #expect(try top(text).required("b20").mapping().required("c").string() == "1")
    }

    @Test("Aliases that could multiply a file beyond measure are refused, wherever they stand", arguments: ["x", "?"])
    func aliasBomb(place: String) throws {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...30 {
            text += "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", "))]\n"
        }
        let error = try parsingError(text + (place == "?" ? "? *a30\n: 1\n" : "x: *a30\n"))
        #expect(error.problem == "301 aliases (*name) are too many for its length; write out what they stand for")
    }

    @Test("Asterisks and ampersands in ordinary text are no aliases")
    func marksInText() throws {
        let text = (1...200).map { "k\($0): \"a *b & *c, R&B\"\n" }.joined()
        #expect(try top(text).entries.count == 200)
    }

    @Test("Deep nesting is refused before it can exhaust the stack", arguments: ["[", "- ", "{a: "])
    func deepNesting(opening: String) throws {
        let error = try parsingError(String(repeating: opening, count: 20_000))
        #expect(error.problem.hasPrefix("not valid YAML: "))
    }

    @Test("A key that is no text is refused", arguments: ["? [a, b]\n: 1\n", "{{a: 1}: 2}\n"])
    func keysOfOtherShapes(text: String) throws {
        let error = try #require(throws: YAMLError.self) { try top(text) }
        #expect(error.problem == "a key must be plain text")
    }

    @Test("A file that cannot be read is named with the system's reason")
    func unreadableFiles() throws {
        #expect(
            throws: YAMLError(
                file: "/no/such/file.yaml", line: nil, key: "", problem: "cannot be read: No such file or directory")
        ) { try YAMLValue(readingFile: "/no/such/file.yaml") }
        let folder = try #require(throws: YAMLError.self) { try YAMLValue(readingFile: "/tmp") }
        #expect(folder.description == "/tmp: cannot be read: Is a directory")
        // Endless and not UTF-8 at once; reading stops at the limit.
        let endless = try #require(throws: YAMLError.self) { try YAMLValue(readingFile: "/dev/zero") }
        #expect(endless.description == "/dev/zero: is no file, but a pipe or device")
    }

    @Test("Line ends of other systems, a byte order mark and odd white space change nothing")
    func otherSystems() throws {
        let mapping = try top("\u{FEFF}a: 1\r\nb:\r\n  c: 2\r\n")
        #expect(try mapping.required("a").string() == "1")
        #expect(try mapping.required("b").mapping().required("c").string() == "2")
        #expect(try mapping.required("b").mapping().required("c").line == 3)
    }

    @Test("A block of text counts its lines from the line after its key")
    func blockLine() throws {
        let numbers = try top("a: 1\n# rules\nnumbers: |\n  first\n  second\n").required("numbers")
        #expect(numbers.line == 3)
        #expect(try numbers.string() == "first\nsecond\n")
    }
}
