import Foundation
import Glibc

/// The project's own sources, read as text: enough to see who names whom.
enum SourceTree {
    static let project = #filePath.replacing(/\/Tests\/HouseTests\/[^\/]*$/, with: "")

    struct File {
        /// From the module's folder: `Settings/VolumeControl.swift`.
        var name: String
        var text: String
        /// Without comments and without what stands between quotes.
        var code: String
        /// The first folder of its name; empty for a file beside the folders.
        var folder: String { name.contains("/") ? String(name.prefix { $0 != "/" }) : "" }
    }

    /// The folders of `Sources` that hold Swift, `box/Core`.
    static let folders: [String] = folders(in: "").flatMap { district in
        folders(in: district).map { "\(district)/\($0)" }.filter { !files(in: $0).isEmpty }
    }.sorted()

    private static func folders(in district: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(project)/Sources/\(district)")) ?? []
    }

    /// The modules of ``folders``.
    static let modules: [String] = folders.map(module).sorted()

    /// `SoundboxCore` for `box/Core`.
    static func module(at folder: String) -> String {
        let name = String(folder.split(separator: "/").last ?? "")
        return name.hasPrefix("soundbox") ? name : name == "Daemon" ? "SoundboxBox" : "Soundbox\(name)"
    }

    static func files(of module: String) -> [File] {
        folders.first { self.module(at: $0) == module }.map(files(in:)) ?? []
    }

    private static func files(in folder: String) -> [File] {
        let folder = "\(project)/Sources/\(folder)"
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") }.sorted().compactMap { name in
            let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            return text.map { File(name: name, text: $0, code: code(of: $0)) }
        }
    }

    /// - Parameter path: from a folder of the project or of `Sources`; `*` stands for any part of a name.
    static func exists(_ path: String) -> Bool {
        [project, "\(project)/Sources"].contains { !matches("\($0)/\(path)").isEmpty }
    }

    /// The texts of the files that a path stands for, as ``exists(_:)`` reads it: of a folder, all below it.
    static func texts(at path: String) -> [String] {
        let files = [project, "\(project)/Sources"].flatMap { matches("\($0)/\(path)") }.flatMap { file in
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), isFolder.boolValue else {
                return [file]
            }
            return (FileManager.default.enumerator(atPath: file)?.compactMap { $0 as? String } ?? [])
                .map { "\(file)/\($0)" }
        }
        return files.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }
    }

    private static func matches(_ pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }

    static func code(of text: String) -> String {
        text.replacing(/"""[\s\S]*?"""/, with: "").replacing(/\/\/[^\n]*/, with: "")
            .replacing(/"(\\.|[^"\\\n])*"/, with: "")
    }

    /// The types that a file declares at its top level.
    static func types(in code: String) -> [(name: String, isPrivate: Bool)] {
        let declaration =
            /(?m)^(?:@\w+ )*(?:public |package |(private |fileprivate ))?(?:final |indirect |nonisolated )*(?:struct|enum|actor|class|protocol|typealias) (\w+)/
        return code.matches(of: declaration).map { (String($0.2), $0.1 != nil) }
    }

    /// Every word of a file that is not reached through something else: `Volume`, and not the `level` of `volume.level`.
    static func names(in code: String) -> Set<Substring> {
        Set(code.matches(of: /(?:^|[^\w.])([A-Za-z_]\w*)/).map(\.1))
    }

    /// Whom each module of Package.swift may import, of the project's own modules and of others.
    static func manifest() throws -> [String: [String]] {
        let text = try String(contentsOfFile: "\(project)/Package.swift", encoding: .utf8)
        let code = text.replacing(/\/\/[^\n]*/, with: "")
        var dependencies: [String: [String]] = [:]
        for target in code.matches(
            of: /library\(\s*"(\w+)",\s*at: "[\w\/]+",\s*\[([^\]]*)\](?:,\s*resources: \[[^\]]*\])?\)/)
        {
            dependencies[String(target.1)] = names(inList: target.2)
        }
        for target in code.matches(of: /program\(\s*at: "\w+\/([\w-]+)",\s*\[([^\]]*)\]/) {
            dependencies[String(target.1)] = names(inList: target.2)
        }
        return dependencies
    }

    /// `"SoundboxCore", logging` as `SoundboxCore` and `logging`.
    private static func names(inList text: Substring) -> [String] {
        text.matches(of: /\w+/).map { String($0.0) }
    }
}
