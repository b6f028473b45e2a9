import Glibc

/// Where an installed box has what it does not change.
public enum InstalledFolders {
    public static let sounds = "/usr/share/soundbox/sounds"
    public static let board = "/usr/share/soundbox/board"
    public static let page = "/usr/share/soundbox/page"
    public static let mappings = "/usr/share/soundbox/mappings"
    /// Is there while the package is being upgraded (prerm), until the new version has started (postinst).
    public static let updateMark = "/run/soundbox-updating"

    /// The helper that makes sound of texts and links: beside this program, of the source tree as of the package.
    public static let speakProgram: String = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        // Behind the name of a program that was replaced stands " (deleted)"; its folder is the same.
        let count = readlink("/proc/self/exe", &path, path.count)
        let program = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(SmallFile.folder(of: program))/soundbox-speak"
    }()

    /// The voices of the source tree when one is at hand, else the installed ones.
    public static var nearestSounds: String { access("sounds", R_OK) == 0 ? "sounds" : sounds }

    /// The page's files of the source tree when they are at hand, else the installed ones.
    public static var nearestPage: String {
        let source = "Sources/SoundboxPage/Page"
        return access(source, R_OK) == 0 ? source : page
    }

    /// The boards of the source tree when they are at hand, else the installed ones.
    public static var nearestBoard: String { access("board", R_OK) == 0 ? "board" : board }
}
