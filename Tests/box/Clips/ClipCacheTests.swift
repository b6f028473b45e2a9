import Glibc
import SoundboxCore
import Synchronization
import TestSupport
import Testing

@testable import SoundboxClips

@Suite("Clips on the disk, and who waits for them")
struct ClipCacheTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func clip(_ number: UInt8, size: Int = 100) -> (bytes: [UInt8], hash: String) {
        let bytes = [UInt8](repeating: number, count: size)
        return (bytes, ClipHash.of(bytes))
    }

    @Test("The hash is SHA-256")
    func hash() {
        #expect(ClipHash.of(Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test("What is kept is found again after a restart; half files and strangers' files are removed")
    func restart() throws {
        let one = Self.clip(1)
        ClipCache(folder: folder.file("clips"), limit: 1000).store(one.bytes, as: one.hash, keeping: [])
        try folder.write("x", to: "clips/\(one.hash).part")
        try folder.write("x", to: "clips/notes.txt")
        try folder.write("", to: "clips/\(Self.clip(2).hash)")
        #expect(symlink("/etc/passwd", folder.file("clips/\(Self.clip(3).hash)")) == 0)
        let cache = ClipCache(folder: folder.file("clips"), limit: 1000)
        #expect(try folder.names(in: "clips") == [one.hash])
        #expect(cache.bytes(of: one.hash) == one.bytes)
        #expect(cache.size == 100)
    }

    @Test("A file that was changed is not the clip any more, and is removed")
    func changed() throws {
        let one = Self.clip(1)
        let cache = ClipCache(folder: folder.file("clips"), limit: 1000)
        cache.store(one.bytes, as: one.hash, keeping: [])
        try folder.write("changed", to: "clips/\(one.hash)")
        #expect(cache.bytes(of: one.hash) == nil)
        #expect(try folder.names(in: "clips").isEmpty)
    }

    @Test("What was not used for the longest time makes room; what is waited for does not, and then nothing does")
    func limit() throws {
        let clips = (1...5).map { Self.clip($0) }
        let cache = ClipCache(folder: folder.file("clips"), limit: 300)
        for clip in clips[..<3] { cache.store(clip.bytes, as: clip.hash, keeping: []) }
        #expect(cache.bytes(of: clips[0].hash) != nil)
        cache.store(clips[3].bytes, as: clips[3].hash, keeping: [])
        #expect(cache.bytes(of: clips[1].hash) == nil)
        let waiting = Set([clips[0].hash, clips[2].hash, clips[3].hash])
        cache.store(clips[4].bytes, as: clips[4].hash, keeping: waiting)
        #expect(try Set(folder.names(in: "clips")) == waiting)
        let large = Self.clip(9, size: 301)
        cache.store(large.bytes, as: large.hash, keeping: [])
        #expect(cache.size == 300)
        #expect(ClipCache(folder: folder.file("clips"), limit: 150).size == 100)
    }

    private static let settings = ClipSettings(hosts: [HostRule("a.example")].compactMap(\.self), cache: 1000)
    private static let sound = PCMSound(samples: [1, 2, 3], sampleRate: 8000)

    private func reference(_ clip: (bytes: [UInt8], hash: String), _ path: String = "") -> ClipReference {
        ClipReference(url: "https://a.example/\(path)", sha256: clip.hash)
    }

    /// Counts what it is asked for.
    private final class Host: Sendable {
        let asked = Mutex<[String]>([])
        let content: [UInt8]

        init(_ content: [UInt8]) { self.content = content }

        func store(in folder: String) -> ClipStore {
            ClipStore(
                folder: folder, settings: ClipCacheTests.settings,
                fetch: { [self] (reference) async throws(ClipError) in
                    asked.withLock { $0.append(reference.url) }
                    await Task.yield()
                    if reference.url.hasSuffix("gone") { throw ClipError("gone") }
                    return content
                }, decode: { (_, _) async throws(ClipError) in ClipCacheTests.sound })
        }
    }

    @Test("Several who ask for the same clip at once get it by one fetch; later ones from the disk")
    func together() async throws {
        let clip = Self.clip(1)
        let host = Host(clip.bytes)
        let store = host.store(in: folder.file("clips"))
        let reference = reference(clip)
        try await withThrowingTaskGroup(of: PCMSound.self) { group in
            for _ in 0..<20 { group.addTask { try await store.clip(reference) } }
            for try await sound in group { #expect(sound == Self.sound) }
        }
        #expect(try await host.store(in: folder.file("clips")).clip(reference) == Self.sound)
        #expect(host.asked.withLock { $0.count } == 1)
    }

    @Test("A clip that one host does not have is asked for where the next one says it is")
    func elsewhere() async throws {
        let clip = Self.clip(1)
        let store = Host(clip.bytes).store(in: folder.file("clips"))
        let (bad, good) = (reference(clip, "gone"), reference(clip, "there"))
        async let first = Result { try await store.clip(bad) }
        async let second = Result { try await store.clip(good) }
        _ = await first
        #expect(try await second.get() == Self.sound)
        await #expect(throws: Never.self) { try await store.clip(bad) }
    }

    @Test("Another content, another size and a strange hash are refused, and nothing of them is kept")
    func wrong() async throws {
        let clip = Self.clip(1)
        let store = Host([1, 2, 3]).store(in: folder.file("clips"))
        var reference = reference(clip)
        await #expect(throws: ClipError("its SHA-256 is another one than expected")) { try await store.clip(reference) }
        reference.bytes = 4
        await #expect(throws: ClipError("expected 4 bytes, found 3")) { try await store.clip(reference) }
        reference.sha256 = "../../etc/passwd"
        await #expect(throws: ClipError.self) { try await store.clip(reference) }
        #expect(try folder.names(in: "clips").isEmpty)
    }

    @Test("Without room on the disk a clip plays from memory", arguments: ["/dev/full", "/proc/clips"])
    func noDisk(place: String) async throws {
        let clip = Self.clip(1)
        #expect(try await Host(clip.bytes).store(in: place).clip(reference(clip)) == Self.sound)
    }

    @Test("A disk that is full half-way leaves no half file")
    func fullDisk() throws {
        let clip = Self.clip(1, size: 64)
        let cache = ClipCache(folder: folder.file("clips"), limit: 1000)
        // What the next write meets: a folder where the half file belongs cannot be replaced.
        try folder.write("", to: "clips/x")
        #expect(mkdir(folder.file("clips/\(clip.hash).part"), 0o700) == 0)
        cache.store(clip.bytes, as: clip.hash, keeping: [])
        #expect(cache.bytes(of: clip.hash) == nil)
        #expect(cache.size == 0)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
