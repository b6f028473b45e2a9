import Logging
import SoundboxAudio
import SoundboxBox
import SoundboxCore
import SoundboxSpeech
import SoundboxStore
import SoundboxVoice

/// The box from its inbox on disk to its sound, without broker, panel and control socket: for benchmarks.
public struct SpeakingBox: Sendable {
    private let inbox: SQLiteInbox
    private let service: AnnouncerService
    private let requests = AnnouncerRequests()

    /// Blocks on the disk.
    /// - Parameter folder: holds the database.
    public init(folder: String, voice: Voice, sink: any AudioSink) throws {
        inbox = try SQLiteInbox(path: "\(folder)/inbox.sqlite")
        let voices = Voices(first: voice)
        service = AnnouncerService(
            announcer: Announcer(), inbox: inbox,
            clock: BoxClock(newestKnown: nil), player: Player(sink: sink, voices: voices, volume: Volume(80)),
            voices: voices, state: BoxState(volume: Volume(80)),
            logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }, requests: requests,
            delegate: Unwatched())
    }

    /// Runs until the task is cancelled.
    public func run() async { await service.run() }

    /// Commits a payment as it arrives from the broker, and has it announced. Blocks on the disk.
    /// - Returns: when it was on the disk.
    public func take(_ notice: PaymentNotice) throws -> ContinuousClock.Instant {
        _ = try inbox.store([.notice(notice)], at: .now)
        let committed = ContinuousClock.now
        requests.inboxChanged()
        return committed
    }

    /// How many payments were announced, and noted as such on the disk. Blocks.
    public var announcedCount: Int { get throws { try inbox.counts().announced } }
}

private struct Unwatched: AnnouncerDelegate {
    func receiptsAreWaiting() {}
    func heard(_ prompt: Prompt) {}
    func runPeriodicChecks() {}
}
