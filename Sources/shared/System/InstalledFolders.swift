import Glibc

/// Where the installed files are that the box does not change.
public enum InstalledFolders {
    public static let sounds = "/usr/share/soundbox/sounds"
    public static let board = "/usr/share/soundbox/board"
    public static let page = "/usr/share/soundbox/page"
    public static let mappings = "/usr/share/soundbox/mappings"
    /// Exists while the package is being upgraded (prerm), until the new version has started (postinst).
    public static let updateMark = "/run/soundbox-updating"

    /// The helper that makes sound from texts and links: beside this program, in the source tree and in the package.
    public static let speakProgram: String = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        // After the program was replaced, " (deleted)" follows its name; its folder is the same.
        let count = readlink("/proc/self/exe", &path, path.count)
        let program = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(SmallFile.folder(of: program))/soundbox-speak"
    }()

    /// The voices of the source tree if they exist, else the installed ones.
    public static var nearestSounds: String { access("sounds", R_OK) == 0 ? "sounds" : sounds }

    /// The page's files of the source tree if they exist, else the installed ones.
    public static var nearestPage: String {
        let source = "Sources/page/browser"
        return access(source, R_OK) == 0 ? source : page
    }

    /// The boards of the source tree if they exist, else the installed ones.
    public static var nearestBoard: String { access("board", R_OK) == 0 ? "board" : board }
}
