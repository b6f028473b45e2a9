import Foundation
import Testing

@Suite("The documents name what is there")
struct DocumentTests {
    private static func names(in folder: String) -> [String] {
        let found = FileManager.default.enumerator(atPath: "\(SourceTree.project)/\(folder)")
        return found?.compactMap { $0 as? String } ?? []
    }

    static let documents =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
        + ["docs", "board", "provisioning", "sounds"].flatMap { folder in
            names(in: folder).filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
        }.sorted()

    private static let files = Set((names(in: "Sources") + names(in: "Tests") + ["Package.swift"]).map(lastName))
    /// Of suites, some of which share a file, and of the folders that hold them.
    static let suites = names(in: "Tests").reduce(into: Set<String>()) { suites, name in
        suites.insert(lastName(name))
        let text = try? String(contentsOfFile: "\(SourceTree.project)/Tests/\(name)", encoding: .utf8)
        suites.formUnion((text ?? "").matches(of: /(?:struct|class|extension) (\w+Tests)/).map { String($0.1) })
    }
    private static let records = Set(names(in: "docs/decisions"))

    private static func lastName(_ path: some StringProtocol) -> String {
        String(path.split(separator: "/").last ?? "")
    }

    @Test("Every source file, suite of tests and decision that a document names is there", arguments: documents)
    func named(document: String) throws {
        let text = try String(contentsOfFile: "\(SourceTree.project)/\(document)", encoding: .utf8)
        if !document.hasPrefix("docs/decisions/") {
            for name in text.matches(of: /`([\w+\/-]+(?:\.swift|Tests))`/).map(\.1) {
                let file = Self.lastName(name)
                #expect(file.hasSuffix(".swift") ? Self.files.contains(file) : Self.suites.contains(file), "\(name)")
            }
        }
        for link in text.matches(of: /[(\/](\d{3}-[\w-]+\.md)/).map(\.1) {
            #expect(Self.records.contains(String(link)), "\(link)")
        }
    }

    @Test("Every link leads to a file, and to a heading that it has", arguments: documents)
    func links(document: String) throws {
        let folder = document.split(separator: "/").dropLast().joined(separator: "/")
        for link in try Self.prose(of: document).matches(of: /\]\(([^)\s]+)\)/).map({ String($0.1) }) {
            guard link.prefixMatch(of: /\w+:/) == nil else { continue }
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let path = parts[0].isEmpty ? document : folder.isEmpty ? parts[0] : "\(folder)/\(parts[0])"
            #expect(FileManager.default.fileExists(atPath: "\(SourceTree.project)/\(path)"), "\(link)")
            guard parts.count == 2, path.hasSuffix(".md") else { continue }
            #expect(try Self.anchors(of: path).contains(parts[1]), "\(link)")
        }
    }

    /// Without what stands in blocks of code.
    private static func prose(of document: String) throws -> String {
        try String(contentsOfFile: "\(SourceTree.project)/\(document)", encoding: .utf8)
            .components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
    }

    /// As GitHub makes them of headings.
    private static func anchors(of document: String) throws -> Set<String> {
        Set(
            try prose(of: document).matches(of: /(?m)^#+ (.+)$/).map { heading in
                String(heading.1).replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }.lowercased()
                    .filter { $0.isLetter || $0.isNumber || "_- ".contains($0) }.replacing(" ", with: "-")
            })
    }

    @Test("The newest version of CHANGELOG is the program's")
    func version() throws {
        let changes = try String(contentsOfFile: "\(SourceTree.project)/CHANGELOG.md", encoding: .utf8)
        let program = try String(
            contentsOfFile: "\(SourceTree.project)/Sources/box/Core/Version.swift", encoding: .utf8)
        #expect(
            changes.firstMatch(of: /(?m)^## (\d\S+)/)?.1 == program.firstMatch(of: /current = "(.+)"/)?.1)
    }

    @Test("architecture.md lists the folders of the daemon, each once")
    func folders() throws {
        let page = try String(contentsOfFile: "\(SourceTree.project)/docs/architecture.md", encoding: .utf8)
        let section = page.components(separatedBy: "\n## ").first { $0.hasPrefix("The folders of the daemon") }
        let listed = try #require(section).matches(of: /`(\w+)\/`/).map { String($0.1) }
        #expect(listed.sorted() == Set(SourceTree.files(of: "SoundboxBox").map(\.folder)).subtracting([""]).sorted())
    }
}

/// What a document names between backticks and in blocks of code.
@Suite("The documents name commands, files and keys that exist")
struct NamedThingTests {
    static let documents = DocumentTests.documents

    /// What stands between backticks, and the lines of the blocks of code.
    private static func code(of document: String) throws -> (spans: [String], lines: [String]) {
        var (spans, lines) = ([String](), [String]())
        for (index, part) in try text(of: document).components(separatedBy: "```").enumerated() {
            if index.isMultiple(of: 2) {
                spans += part.matches(of: /`([^`\n]+)`/).map { String($0.1) }
            } else {
                lines += part.components(separatedBy: "\n").dropFirst()
            }
        }
        return (spans, lines)
    }

    static func text(of file: String) throws -> String {
        try String(contentsOfFile: "\(SourceTree.project)/\(file)", encoding: .utf8)
    }

    /// The words of each command that begins with the name of one of these programs, up to a comment.
    static func commands(of programs: some Collection<String>, in document: String) throws -> [[Substring]] {
        let (spans, lines) = try code(of: document)
        return (spans + lines).flatMap { $0.split(separator: /&&|[|;]|\$\(/) }.compactMap { command in
            let words = command.split(separator: " ").drop { $0 == "sudo" || $0.contains("=") }.prefix { $0 != "#" }
            return words.first.flatMap { programs.contains(String($0)) ? Array(words) : nil }
        }
    }

    @Test("Every target of make exists", arguments: documents)
    func targets(document: String) throws {
        let targets = try Self.text(of: "Makefile").matches(of: /(?m)^([\w-]+):/).map(\.1)
        #expect(targets.count > 30)
        for command in try Self.commands(of: ["make"], in: document) {
            for target in command.dropFirst() where target.wholeMatch(of: /[a-z][a-z-]*/) != nil {
                #expect(targets.contains(target), "make \(target)")
            }
        }
    }

    @Test("Every subcommand of a program exists", arguments: documents)
    func subcommands(document: String) throws {
        #expect(Self.programs.count == 4)
        for words in try Self.commands(of: Self.programs.keys, in: document) {
            var command = Self.programs[String(words[0])]
            for word in words.dropFirst() {
                guard let group = command, !group.takesWords, word.wholeMatch(of: /[a-z][a-z-]*/) != nil else { break }
                command = group.subcommands.compactMap { Self.types[$0] }.first { $0.name == word }
                #expect(command != nil, "\(words.joined(separator: " "))")
            }
        }
    }

    @Test("Every option of a program exists", arguments: documents)
    func options(document: String) throws {
        #expect(Self.optionNames.count > 50)
        for words in try Self.commands(of: Self.programs.keys, in: document) {
            for option in words.compactMap({ $0.prefixMatch(of: /--([a-z][a-z-]*)/)?.1 }) {
                #expect(Self.optionNames.contains(String(option)), "\(words[0]) --\(option)")
            }
        }
    }

    /// Of all programs.
    private static let optionNames = [
        "soundbox", "soundbox-speak", "soundbox-voicetools", "soundbox-gateway", "SoundboxCommandLine",
    ]
    .flatMap(SourceTree.files).reduce(into: ["help", "version"] as Set) { options, file in
        for option in file.text.matches(of: /@(?:Option|Flag)\b[\s\S]*?\bvar (\w+)/) {
            options.insert(String(option.1).replacing(/[A-Z]+/) { "-\($0.0.lowercased())" })
            options.formUnion(option.0.matches(of: /customLong\("([\w-]+)"/).map { String($0.1) })
        }
        for flags in file.text.matches(of: /EnumerableFlag \{([^}]*)/) {
            options.formUnion(flags.1.matches(of: /case (\w+)/).map { String($0.1) })
        }
    }

    struct Command {
        var name: String
        /// Their types.
        var subcommands: [String]
        /// A word after it may be an argument: its own, or one of the subcommand that is meant when none is named.
        var takesWords: Bool
    }

    /// The commands of the programs by their types, but for those that are hidden, since they have moved.
    static let types = ["soundbox", "soundbox-speak", "soundbox-voicetools", "soundbox-gateway"]
        .flatMap(SourceTree.files).reduce(into: [String: Command]()) { types, file in
            for type in file.text.matches(of: /(?m)^struct (\w+): \w*ParsableCommand[\s\S]*?^}/) {
                guard !type.0.contains("shouldDisplay: false") else { continue }
                let subcommands = type.0.matches(of: /subcommands: \[([^\]]*)\]/)
                    .flatMap { $0.1.matches(of: /(\w+)\.self/).map { String($0.1) } }
                types[String(type.1)] = Command(
                    name: type.0.firstMatch(of: /commandName: "([\w-]+)"/).map { String($0.1) } ?? type.1.lowercased(),
                    subcommands: subcommands,
                    takesWords: subcommands.isEmpty || type.0.contains("defaultSubcommand"))
            }
        }
    static let programs = types.values.filter { $0.name.hasPrefix("soundbox") }
        .reduce(into: [String: Command]()) { $0[$1.name] = $1 }

    @Test("Every file of the project exists", arguments: documents)
    func files(document: String) throws {
        let (spans, lines) = try Self.code(of: document)
        let path =
            /(?:^|[\s"'=])((?:Sources|Tests|docs|board|sounds|provisioning|Benchmarks|Fuzzing)\/[\w.\/+*-]*)/
        for name in (spans + lines).flatMap({ $0.matches(of: path).map { String($0.1) } }) {
            #expect(SourceTree.exists(name), "\(name): nothing is there")
        }
    }

    @Test("Every key of the configuration exists", arguments: documents.filter { $0 != "CHANGELOG.md" })
    func keys(document: String) throws {
        let keys = try Self.configurationKeys()
        let sections = Set(keys.filter { $0.contains(".") }.map { $0.prefix { $0 != "." } })
        #expect(sections.count > 10)
        for span in try Self.code(of: document).spans {
            // The beginning of `audio.device: auto`, too.
            guard let key = span.prefixMatch(of: /([a-z_]+)\.[a-z_0-9]+(?=$|:)/), sections.contains(key.1) else {
                continue
            }
            #expect(keys.contains(String(key.0)) || ["voice.yaml", "inbox.sqlite"].contains(key.0), "\(key.0)")
        }
    }

    /// Those of the table in docs/configuration.md.
    static func configurationKeys() throws -> Set<String> {
        let rows = try text(of: "docs/configuration.md").matches(of: /(?m)^\| (`[^|]*)\|/)
        return Set(rows.flatMap { $0.1.matches(of: /`([\w.]+)`/).map { String($0.1) } })
    }
}
