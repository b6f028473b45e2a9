import SoundboxCore
import SoundboxSystem

/// Gets clips from the cache or their host, verifies them by their hash, and decodes them:
///
///     let store = ClipStore(folder: folder, settings: settings, program: SpeakProgram())
///     let sound = try await store.clip(reference)
///
/// ``SpeakProgram`` fetches and decodes. At most two clips are fetched and decoded at once, and each only once for all
/// callers. The cache is opened at its first use. Pinned to a thread, because the cache blocks on the disk.
public actor ClipStore: ClipSource {
    typealias Fetch = @Sendable (ClipReference) async throws(ClipError) -> [UInt8]
    typealias Decode = @Sendable (_ encoded: [UInt8], _ longest: Duration) async throws(ClipError) -> PCMSound

    private static let atOnce = 2
    /// The most clips at a time; further ones are refused. More than the custom messages that may wait.
    private static let most = CustomMessage.mostWaiting + 16

    private struct Job {
        var reference: ClipReference
        var task: Task<Result<PCMSound, ClipError>, Never>
    }

    private let executor = ThreadExecutor(name: "clips")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let folder: String
    private let settings: ClipSettings
    /// Why no clip can be fetched at all.
    private let problem: @Sendable () -> String?
    private let fetch: Fetch
    private let decode: Decode
    private let semaphore = AsyncSemaphore(value: atOnce)
    private var opened: ClipCache?
    /// By hash.
    private var jobs: [String: Job] = [:]
    private var kept: Set<String> = []

    /// - Parameter folder: only for the cache; made if it is missing. Other files in it are removed.
    public init(folder: String, settings: ClipSettings, program: SpeakProgram) {
        self.init(
            folder: folder, settings: settings, problem: { program.problem },
            fetch: { (reference) async throws(ClipError) in try await program.fetch(reference, settings) },
            decode: { (bytes, longest) async throws(ClipError) in try await program.decode(bytes, longest: longest) })
    }

    init(
        folder: String, settings: ClipSettings, problem: @escaping @Sendable () -> String? = { nil },
        fetch: @escaping Fetch, decode: @escaping Decode
    ) {
        self.folder = folder
        self.settings = settings
        self.problem = problem
        self.fetch = fetch
        self.decode = decode
    }

    public nonisolated func problem(of reference: ClipReference) -> String? {
        do throws(ClipError) { try settings.check(reference) } catch { return error.description }
        return problem().map { ClipError($0).description }
    }

    public func keep(_ references: Set<ClipReference>) { kept = Set(references.map(\.sha256)) }

    public func clip(_ reference: ClipReference) async throws(ClipError) -> PCMSound {
        // The allowed hosts may have changed since the clip was cached.
        try settings.check(reference)
        while let job = jobs[reference.sha256] {
            switch await job.task.value {
            case .success(let sound): return sound
            case .failure(let error):
                // Another address may still deliver the clip.
                if job.reference == reference { throw error }
            }
        }
        guard jobs.count < Self.most else { throw ClipError("\(Self.most) clips are asked for already") }
        let task = Task { await work(on: reference) }
        jobs[reference.sha256] = Job(reference: reference, task: task)
        return try await task.value.get()
    }

    /// Removes its job before it returns, so that a waiting caller finds no job or a new one.
    private func work(on reference: ClipReference) async -> Result<PCMSound, ClipError> {
        defer { jobs[reference.sha256] = nil }
        await semaphore.wait()
        let result: Result<PCMSound, ClipError>
        do throws(ClipError) {
            let encoded = try await encoded(reference)
            result = .success(try await decode(encoded, settings.longest))
        } catch {
            result = .failure(error)
        }
        await semaphore.signal()
        return result
    }

    private func encoded(_ reference: ClipReference) async throws(ClipError) -> [UInt8] {
        if let bytes = cache.bytes(of: reference.sha256) { return bytes }
        let bytes = try await fetch(reference)
        if let size = reference.bytes, bytes.count != size {
            throw ClipError("expected \(size) bytes, found \(bytes.count)")
        }
        guard ClipHash.of(bytes) == reference.sha256 else {
            throw ClipError("its SHA-256 is another one than expected")
        }
        let waiting = Set(jobs.keys).union(kept)
        cache.store(bytes, as: reference.sha256, keeping: waiting)
        return bytes
    }

    private var cache: ClipCache {
        if let opened { return opened }
        let cache = ClipCache(folder: folder, limit: settings.cache)
        opened = cache
        return cache
    }
}

/// A counting semaphore for tasks, which are served in order of arrival.
actor AsyncSemaphore {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter value: how many tasks pass at a time.
    init(value: Int) { free = value }

    /// Suspends until a place is free. Each call needs one call of ``signal()``.
    func wait() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func signal() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
