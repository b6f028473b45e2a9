import SoundboxControl
import SoundboxSystem

/// The four static files of the page, read once.
struct PageFiles: Sendable {
    private static let kinds = [
        (path: "/", name: "page.html", type: "text/html; charset=utf-8"),
        (path: "/page.css", name: "page.css", type: "text/css; charset=utf-8"),
        (path: "/page.js", name: "page.js", type: "text/javascript; charset=utf-8"),
        (path: "/icon.svg", name: "icon.svg", type: "image/svg+xml"),
    ]

    private let answers: [String: HTTPResponse]

    /// Blocks on the disk.
    init(folder: String) throws(FileError) {
        var answers: [String: HTTPResponse] = [:]
        for kind in Self.kinds {
            let text = try SmallFile.read("\(folder)/\(kind.name)")
            answers[kind.path] = HTTPResponse(status: 200, contentType: kind.type, body: Array(text.utf8))
        }
        self.answers = answers
    }

    subscript(path: String) -> HTTPResponse? { answers[path] }
}
