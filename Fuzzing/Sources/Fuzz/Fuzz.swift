import Glibc

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
