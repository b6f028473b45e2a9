import Foundation
import TestSupport
import Testing

/// What of `make deb ARCH=arm64`, which takes a quarter of an hour, fits into every run of the tests. That the program
/// runs there is for `make deb-test ARCH=arm64`.
@Suite(
    "The box is built for arm64", .timeLimit(.minutes(20)),
    .enabled("needs the cross compiler: provisioning/debian/build-debian13.sh arm64 --fill says what is in its way") {
        await compilerRuns()
    })
struct CrossBuildTests {
    /// Of an object file for AArch64 (ELF for the Arm 64-bit architecture, e_machine).
    private static let machine: [UInt8] = [183, 0]

    @Test("The core and the adapters to alsa-lib, libgpiod and OpenSSL compile with Debian's Swift")
    func compiles() async throws {
        let build = try ChildProcess(
            ["\(folder)/build-debian13.sh", "arm64", "--smoke"], environment: whereTheCacheIs)
        let output = try await build.output.all()
        let code = try await build.exitStatus()
        let said = output.suffix(20) + (try await build.errors.all().suffix(20))
        #expect(code == 0, "\(said.joined(separator: "\n"))")

        let cache = try await askCache("echo $cache").output.next()
        let object = "build-smoke-arm64/aarch64-unknown-linux-gnu/debug/SoundboxMQTT.build/MQTTFeed.swift.o"
        let header = try Data(contentsOf: URL(fileURLWithPath: "\(cache)/\(object)")).prefix(20)
        #expect(header.suffix(2) == Data(Self.machine))
    }
}

private let folder = "\(Products.project)/provisioning/debian"

private let whereTheCacheIs = ProcessInfo.processInfo.environment.filter {
    ["HOME", "SOUNDBOX_CROSS_CACHE"].contains($0.key)
}

/// Runs a command of the shell that knows the places in the cache.
private func askCache(_ command: String) throws -> ChildProcess {
    try ChildProcess(
        ["bash", "-c", "source '\(folder)/cross.sh' arm64 && \(command)"], environment: whereTheCacheIs)
}

/// Nothing is fetched here: `make test` has, if it could.
private func compilerRuns() async -> Bool {
    let command = "[[ -d $chroot && -d $sysroot ]] && '\(folder)/build-debian13.sh' arm64 --fill"
    return (try? await askCache(command).exitStatus()) == 0
}
