import Dispatch
import Logging
import SoundboxHardware
import SoundboxSystem
import Synchronization
import TestSupport
import Testing

@testable import SoundboxSetup

/// What a box that cannot work says aloud, from one attempt to the next.
@Suite("The words of a box that is not in service", .timeLimit(.minutes(10)))
struct FaultedBoxWordsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Missing: Error {}

    private func box(
        wordsDue: ContinuousClock.Instant, devices: @escaping @Sendable () -> [String],
        check: @escaping @Sendable () throws -> Void
    ) -> FaultedBox {
        var fallback = FallbackSettings()
        fallback.likelyDevices = devices
        return FaultedBox(
            BoxFault(Missing()), configurationFile: folder.file("soundbox.yaml"), fallback: fallback,
            panel: .board, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, firstWords: wordsDue,
            retryDelay: .zero, check: check)
    }

    @Test("Words that were said are due again after the interval")
    func said() async throws {
        let wav = folder.file("heard.wav")
        let isSaid = Mutex(false)
        let before = ContinuousClock.now
        let box = box(wordsDue: before, devices: { ["file:\(wav)"] }) {
            guard let sound = try? SmallFile.bytes(of: wav, limit: 1 << 24), sound.count > 20_000 else {
                throw Missing()
            }
            // Once more: by then the rest of the sentence is there, too.
            let wasSaid = isSaid.withLock { isSaid in
                defer { isSaid = true }
                return isSaid
            }
            guard wasSaid else { throw Missing() }
        }
        await box.run()
        #expect(await box.answer.outcome == .cured)
        #expect(await box.answer.nextWords >= before + Reminder.interval)
    }

    @Test("Words that the next attempt came before stay due")
    func interrupted() async throws {
        let isOver = DispatchSemaphore(value: 0)
        let due = ContinuousClock.now
        // The cards are looked for until everything is over.
        let box = box(
            wordsDue: due,
            devices: {
                isOver.wait(); return []
            }, check: {})
        await box.run()
        isOver.signal()
        #expect(await box.answer.outcome == .cured)
        #expect(await box.answer.nextWords == due)
    }
}
