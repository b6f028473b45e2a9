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
struct StandInBoxTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let missing = StandInBox.Reason.fault("missing", isStorage: false)

    private func standIn(
        wordsDue: ContinuousClock.Instant, devices: @escaping @Sendable () -> [String],
        currentReason: @escaping @Sendable () -> StandInBox.Reason?
    ) -> StandInBox {
        var fallback = FallbackSettings()
        fallback.likelyDevices = devices
        return StandInBox(
            Self.missing, configurationFile: folder.file("soundbox.yaml"), fallback: fallback, panel: .board,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, wordsDue: wordsDue, retryDelay: .zero,
            currentReason: currentReason)
    }

    @Test("Words that were said are due again after the interval")
    func said() async throws {
        let wav = folder.file("heard.wav")
        let isSaid = Mutex(false)
        let before = ContinuousClock.now
        let standIn = standIn(wordsDue: before, devices: { ["file:\(wav)"] }) {
            guard let sound = try? SmallFile.bytes(of: wav, limit: 1 << 24), sound.count > 20_000 else {
                return Self.missing
            }
            // Once more: by then the rest of the sentence is there, too.
            return isSaid.withLock { isSaid in
                defer { isSaid = true }
                return isSaid ? nil : Self.missing
            }
        }
        await standIn.run()
        #expect(standIn.nextWords >= before + Reminder.interval)
    }

    @Test("Words that the next attempt came before stay due")
    func interrupted() async throws {
        let isOver = DispatchSemaphore(value: 0)
        let due = ContinuousClock.now
        // The cards are looked for until everything is over.
        let standIn = standIn(
            wordsDue: due,
            devices: {
                isOver.wait(); return []
            }, currentReason: { nil })
        await standIn.run()
        isOver.signal()
        #expect(standIn.nextWords == due)
    }

    @Test("The wait ends for another reason, and when the configuration is written", arguments: [true, false])
    func ends(writes: Bool) async throws {
        let file = folder.file("soundbox.yaml")
        let standIn = standIn(wordsDue: .now + Reminder.interval, devices: { [] }) {
            guard writes else { return .notSetUp }
            _ = try? SmallFile.replace(file, with: "merchant_id: M1\n", mode: 0o600, owner: nil)
            return Self.missing
        }
        await standIn.run()
        #expect(SmallFile.exists(file) == writes)
    }
}
