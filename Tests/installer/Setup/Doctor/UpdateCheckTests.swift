import Foundation
import TestSupport
import Testing

@testable import SoundboxSetup

@Suite("Updates from a repository's ring")
struct UpdateCheckTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func finding(at now: Int64) -> Finding? {
        UpdateCheck(source: folder.file("soundbox.sources"), lists: folder.file("lists")).finding(at: now)
    }

    @Test("A box that follows no ring is told nothing of it")
    func none() { #expect(finding(at: 0) == nil) }

    @Test("An index that has expired, or was never accepted, stops updates and is amber")
    func expired() throws {
        try folder.write("Types: deb\n", to: "soundbox.sources")
        try FileManager.default.createDirectory(atPath: folder.file("lists"), withIntermediateDirectories: true)
        #expect(finding(at: 0)?.level == .amber)
        try folder.write(
            """
            -----BEGIN PGP SIGNED MESSAGE-----

            Origin: Soundbox
            Suite: stable
            Date: Fri, 27 Nov 2026 15:06:40 UTC
            Valid-Until: Tue, 26 Jan 2027 15:06:40 UTC

            """, to: "lists/repo_dists_stable_InRelease")
        #expect(finding(at: 1_800_975_999)?.level == .green)
        #expect(finding(at: 1_800_976_000)?.detail == "follows stable")
        #expect(finding(at: 1_800_976_001)?.level == .amber)
    }
}
