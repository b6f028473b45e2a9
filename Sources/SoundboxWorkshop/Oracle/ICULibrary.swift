import Glibc

/// ICU, where this machine has it: opened when it is asked for, and linked by nobody, since a box needs it for nothing.
///
/// ICU ends the name of each function with its major version (`unum_open_72`), and promises that what these functions
/// take and give stays the same (https://unicode-org.github.io/icu/userguide/icu4c/design.html#icu4c-api-compatibility).
/// Texts are UTF-16. Errors are codes: above zero a failure, below a warning.
final class ICULibrary: Sendable {
    typealias Handle = OpaquePointer
    typealias Text = UnsafePointer<UInt16>
    typealias TextBuffer = UnsafeMutablePointer<UInt16>
    typealias Code = UnsafeMutablePointer<Int32>

    /// The major version: 72.
    let version: Int
    let openNumberFormat:
        @convention(c) @Sendable (Int32, Text?, Int32, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Code) -> Handle?
    let closeNumberFormat: @convention(c) @Sendable (Handle) -> Void
    let localeByType: @convention(c) @Sendable (Handle, Int32, Code) -> UnsafePointer<CChar>?
    let setTextAttribute: @convention(c) @Sendable (Handle, Int32, Text, Int32, Code) -> Void
    let textAttribute: @convention(c) @Sendable (Handle, Int32, TextBuffer, Int32, Code) -> Int32
    let formatDecimal:
        @convention(c) @Sendable (
            Handle, UnsafePointer<CChar>, Int32, TextBuffer, Int32, UnsafeMutableRawPointer?, Code
        ) -> Int32
    let openExpression: @convention(c) @Sendable (Text, Int32, UInt32, UnsafeMutableRawPointer?, Code) -> Handle?
    let closeExpression: @convention(c) @Sendable (Handle) -> Void
    let setExpressionText: @convention(c) @Sendable (Handle, Text, Int32, Code) -> Void
    let replaceAll: @convention(c) @Sendable (Handle, Text, Int32, TextBuffer, Int32, Code) -> Int32
    private let errorName: @convention(c) @Sendable (Int32) -> UnsafePointer<CChar>?

    /// Debian 10 has 63, and each year brings two or three.
    static let versions = 60...110

    /// Opens the newest one that is installed; it stays open. Blocks on the disk.
    /// - Throws: ``ICUError`` that says what to install.
    init(versions: ClosedRange<Int> = ICULibrary.versions) throws(ICUError) {
        let installed = versions.reversed().lazy.compactMap { version -> Installed? in
            guard let common = dlopen("libicuuc.so.\(version)", RTLD_NOW | RTLD_LOCAL),
                let numbers = dlopen("libicui18n.so.\(version)", RTLD_NOW | RTLD_LOCAL)
            else { return nil }
            return Installed(version: version, common: common, numbers: numbers)
        }.first
        guard let installed else {
            throw ICUError("ICU is not installed here (libicui18n.so); on Debian: sudo apt install libicu72")
        }
        version = installed.version
        openNumberFormat = try installed.function("unum_open")
        closeNumberFormat = try installed.function("unum_close")
        localeByType = try installed.function("unum_getLocaleByType")
        setTextAttribute = try installed.function("unum_setTextAttribute")
        textAttribute = try installed.function("unum_getTextAttribute")
        formatDecimal = try installed.function("unum_formatDecimal")
        openExpression = try installed.function("uregex_open")
        closeExpression = try installed.function("uregex_close")
        setExpressionText = try installed.function("uregex_setText")
        replaceAll = try installed.function("uregex_replaceAll")
        errorName = try installed.function("u_errorName")
    }

    /// - Throws: what ICU calls its failure; warnings are none.
    func check(_ code: Int32, _ problem: @autoclosure () -> String) throws(ICUError) {
        guard code > 0 else { return }
        throw ICUError("\(problem()): \(errorName(code).map { String(cString: $0) } ?? "ICU's error \(code)")")
    }
}

/// Both of ICU's libraries, open.
private struct Installed {
    let version: Int
    let common: UnsafeMutableRawPointer
    let numbers: UnsafeMutableRawPointer

    /// - Throws: that ICU was built in another way than Debian's.
    func function<Function>(_ name: String) throws(ICUError) -> Function {
        guard let symbol = dlsym(numbers, "\(name)_\(version)") ?? dlsym(common, "\(name)_\(version)") else {
            throw ICUError("ICU \(version) lacks \(name); expected the library as Debian builds it")
        }
        return unsafeBitCast(symbol, to: Function.self)
    }
}

/// Why ICU cannot be asked.
public struct ICUError: Error, Sendable, Equatable, CustomStringConvertible {
    public var description: String
    init(_ description: String) { self.description = description }
}
