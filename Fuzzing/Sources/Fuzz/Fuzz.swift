import Glibc
import SoundboxSystem

/// By the environment and not by an argument: libFuzzer starts itself anew for some of its work, with its own arguments.
private let target: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    if let target = FuzzTarget.named(name) { return target }
    let names = FuzzTarget.all.map { $0.name }.joined(separator: ", ")
    let complaint = "set FUZZ_TARGET to one of \(names)\n"
    write(STDERR_FILENO, complaint, complaint.utf8.count)
    exit(64)
}()

/// What libFuzzer's own `main` calls with each input (LLVM documentation, "LibFuzzer", "Fuzz Target").
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    target.run(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}

/// SwiftPM's name for the `main` of this program. With `--sanitize fuzzer` libFuzzer's own takes its place.
///
/// Gives each file of the arguments to the target once, as libFuzzer does with files.
@_cdecl("Fuzz_main")
public func runFiles(_ count: CInt, _ arguments: UnsafePointer<UnsafePointer<CChar>>) -> CInt {
    let target = target
    for index in 1..<max(1, Int(count)) {
        do { target.run(try SmallFile.content(of: String(cString: arguments[index]))) } catch {
            let complaint = "\(error)\n"
            write(STDERR_FILENO, complaint, complaint.utf8.count)
            return 1
        }
    }
    return 0
}
