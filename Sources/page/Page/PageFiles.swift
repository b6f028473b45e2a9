import SoundboxControl
import SoundboxSystem

/// The page's static files, read once: `page.html` as `/`, scripts, styles and pictures beside it, and `words/*.json`.
/// Requests are looked up among these, and never become a path.
struct PageFiles: Sendable {
    private static let types = [
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]
    private static let typesOfWords = ["json": "application/json"]

    private var answers: [String: HTTPResponse] = [:]

    /// Blocks on the disk.
    init(folder: String) throws(FileError) {
        answers["/"] = try Self.answer("\(folder)/page.html", type: "text/html; charset=utf-8")
        try add("/", of: folder, Self.types)
        try add("/words/", of: folder, Self.typesOfWords)
    }

    subscript(path: String) -> HTTPResponse? { answers[path] }

    private mutating func add(_ path: String, of folder: String, _ types: [String: String]) throws(FileError) {
        let names: [String]
        do { names = try SmallFile.names(in: folder + path) } catch {
            throw FileError(path: folder + path, problem: "cannot be read: \(error)")
        }
        for name in names {
            guard let type = Self.ending(of: name).flatMap({ types[$0] }) else { continue }
            answers[path + name] = try Self.answer(folder + path + name, type: type)
        }
    }

    /// `nil` for a name that is not letters, digits and `-`, a dot, and lower-case letters: hidden files, an editor's
    /// copies.
    private static func ending(of name: String) -> String? {
        name.wholeMatch(of: /[A-Za-z0-9-]+\.([a-z]+)/).map { String($0.1) }
    }

    private static func answer(_ path: String, type: String) throws(FileError) -> HTTPResponse {
        HTTPResponse(status: 200, contentType: type, body: Array(try SmallFile.read(path).utf8))
    }
}
