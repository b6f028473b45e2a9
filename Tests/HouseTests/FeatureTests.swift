import Foundation
import Testing

@Suite("docs/features.md lists the features, and names what is there")
struct FeatureTests {
    private static let page = "docs/features.md"

    /// A row of one of the page's tables.
    private struct Row {
        /// Keys, commands and fields, from all columns but the last.
        var names: [String]
        /// Files and folders, from the last column.
        var places: [String]
    }

    private static func rows() throws -> [Row] {
        try NamedThingTests.text(of: page).matches(of: /(?m)^\| (?!---)(.+) \|$/).compactMap { line in
            let cells = line.1.components(separatedBy: " | ").map { $0.matches(of: /`([^`]+)`/).map { String($0.1) } }
            let isHead = line.1.hasSuffix("| code")
            return isHead ? nil : Row(names: cells.dropLast().flatMap(\.self), places: cells.last ?? [])
        }
    }

    @Test("A line is short enough to be read at a glance")
    func short() throws {
        for line in try NamedThingTests.text(of: Self.page).components(separatedBy: "\n") {
            #expect(line.count <= 160, "\(line)")
        }
    }

    // MARK: - Keys

    @Test("Every key, field and request that it names exists")
    func keys() throws {
        let keys = try NamedThingTests.configurationKeys()
        let programs = NamedThingTests.programs.keys
        var tested = 0
        for name in try Self.rows().flatMap(\.names) {
            if name.wholeMatch(of: /[a-z_]+(\.[a-z_0-9]+)?/) != nil {
                #expect(keys.contains(name), "docs/configuration.md has no key \(name)")
                tested += 1
            } else if name.wholeMatch(of: /[a-z_]+:/) != nil || name.hasPrefix("\"") {
                for word in name.matches(of: /[a-z_][a-z_0-9]*/).map(\.0) {
                    #expect(Self.words.contains(word), "\(name): no source has \(word)")
                }
            } else if name.hasPrefix("/api/") {
                let handler = try NamedThingTests.text(of: "Sources/page/Page/PageRequestHandler.swift")
                #expect(handler.contains(" \(name.dropFirst("/api".count))\""), "\(name)")
            } else if name.hasPrefix("GET /") || name.hasPrefix("POST /") {
                let routes = try NamedThingTests.text(of: "Sources/gateway/Gateway/Intake/GatewayRoute.swift")
                #expect(routes.contains("= \"\(name)\""), "\(name)")
            } else {
                let program = name.prefix { $0 != " " }
                #expect(programs.contains(String(program)) || ["make", "swift"].contains(program), "\(name)")
            }
        }
        #expect(tested > 50)
    }

    /// What sources have between quotes, whole, and as cases of enumerations.
    private static let words = SourceTree.modules.flatMap(SourceTree.files).reduce(into: Set<Substring>()) {
        words, file in
        words.formUnion(file.text.matches(of: /"(\w+)"/).map(\.1))
        for cases in file.code.matches(of: /\bcase ([\w, ]+)/) { words.formUnion(cases.1.split(separator: /[, ]+/)) }
    }

    @Test("It names each section of the configuration, and each key that has none")
    func sections() throws {
        let named = Set(try Self.rows().flatMap(\.names).map { $0.prefix { $0 != "." } })
        let sections = Set(try NamedThingTests.configurationKeys().map { $0.prefix { $0 != "." } })
        #expect(sections.count > 20)
        #expect(sections.subtracting(named).sorted() == [])
    }

    // MARK: - Commands

    @Test("It names each subcommand of each program")
    func subcommands() throws {
        let programs = NamedThingTests.programs
        let named = try NamedThingTests.commands(of: programs.keys, in: Self.page).map { $0.map(String.init) }
        let commands = programs.values.flatMap { Self.commands(from: $0) }
        #expect(commands.count > 40)
        for command in commands {
            #expect(named.contains { $0.starts(with: command) }, "\(command.joined(separator: " "))")
        }
    }

    /// The words of a command, and of all below it.
    private static func commands(from command: NamedThingTests.Command) -> [[String]] {
        let below = command.subcommands.compactMap { NamedThingTests.types[$0] }.flatMap(commands)
        return [[command.name]] + below.map { [command.name] + $0 }
    }

    // MARK: - Folders

    @Test("Each row names a file or folder, and all of them exist")
    func places() throws {
        let rows = try Self.rows()
        #expect(rows.count > 100)
        for row in rows {
            #expect(!row.places.isEmpty, "\(row.names)")
            for place in row.places {
                #expect(place.contains("/") && SourceTree.exists(place), "\(place): nothing is there")
            }
        }
    }

    @Test("It names each module, and each folder of the daemon, or a file there")
    func folders() throws {
        let places = try Self.rows().flatMap(\.places)
        let modules = Self.folders(in: "").flatMap(Self.folders)
        let daemon = Self.folders(in: "box/Daemon")
        #expect(modules.count > 40 && daemon.count > 15)
        for folder in modules + daemon {
            #expect(places.contains { $0 == folder || $0.hasPrefix("\(folder)/") }, "\(folder)")
        }
    }

    /// - Parameter folder: from `Sources`; empty for itself.
    private static func folders(in folder: String) -> [String] {
        let root = "\(SourceTree.project)/Sources/"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root + folder)) ?? []
        return names.sorted().map { folder.isEmpty ? $0 : "\(folder)/\($0)" }.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: root + path, isDirectory: &isFolder) && isFolder.boolValue
        }
    }
}
