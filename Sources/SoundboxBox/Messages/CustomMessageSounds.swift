import Logging
import SoundboxCore
import SoundboxSpeech
import SoundboxVoice
import Synchronization

/// Has ready what custom messages want to be heard: words by recordings, by a synthesiser, or a clip from elsewhere.
///
/// Prepared from a custom message's arrival on, and again after a restart, so that sound begins at once: rings before
/// what is said, older ones first. Bounded: ``mostAtOnce`` are made at a time, each within ``mostTime``, and what is
/// ready takes ``mostMemory`` at most; what has no room is made when there is some. Any thread; nothing here blocks.
package final class CustomMessageSounds: Sendable {
    static let mostAtOnce = 2
    /// What makes speech and what fetches clips have bounds of their own, which are narrower.
    static let mostTime = Duration.seconds(60)
    /// In bytes of samples.
    static let mostMemory = 16 << 20

    private let maker: CustomMessageSoundMaker
    private let mostTime: Duration
    private let logger: Logger
    private let content: Mutex<CustomMessageSoundQueue>
    private let observers = Mutex<[@Sendable () -> Void]>([])

    /// - Parameters:
    ///   - synthesizer: `nil` where text without recordings cannot be spoken.
    ///   - clips: `nil` where clips are not allowed.
    package init(
        voices: Voices, synthesizer: (any SpeechSynthesizer)?, clips: (any ClipSource)?, logger: Logger,
        mostMemory: Int = CustomMessageSounds.mostMemory, mostTime: Duration = CustomMessageSounds.mostTime
    ) {
        maker = CustomMessageSoundMaker(voices: voices, synthesizer: synthesizer, clips: clips)
        content = Mutex(CustomMessageSoundQueue(mostAtOnce: Self.mostAtOnce, mostMemory: mostMemory))
        self.mostTime = mostTime
        self.logger = logger
    }

    /// Has `body` told each time that something has become ready. It must not block.
    package func whenChanged(_ body: @escaping @Sendable () -> Void) { observers.withLock { $0.append(body) } }

    /// Has the sounds of these made, and forgets all others.
    package func prepare(_ entries: [CustomMessageEntry]) {
        let clips = Set(entries.compactMap(\.customMessage.content.clip))
        let changes = content.withLock { ($0.keep(entries), $0.keepClips(clips)) }
        for task in changes.0 { task.cancel() }
        if changes.1 { Task { [maker] in await maker.keep(clips) } }
        beginNext()
    }

    /// What there is by now to be said of it. One that is not known is prepared.
    package func speech(of entry: CustomMessageEntry) -> Announcer.Speech {
        switch sound(of: entry) {
        case .script(let script)?: .ready(script)
        case .failed(let reason, let instead)?: .failed(reason: reason, instead: instead)
        case nil: .pending
        }
    }

    /// The words of a ring, without any for the tone alone; `nil` while they are made. One that is not known is
    /// prepared.
    package func words(of ring: CustomMessageEntry) -> AnnouncementScript? {
        if ring.customMessage.content == .tone { return .silence }
        return switch sound(of: ring) {
        case .script(let script)?: script
        // It rings whatever becomes of its words.
        case .failed(_, let instead)?: instead ?? .silence
        case nil: nil
        }
    }

    /// Words for the text of a notice, with the marker before them; `nil` where there are none. Suspends while they are
    /// made.
    package func words(ofText text: String) async -> AnnouncementScript? {
        switch await maker.words(of: text, isMarked: true) {
        case .script(let script): return script
        case .failed(let reason, _):
            logger.warning("a notice's text cannot be heard", metadata: ["reason": "\(reason)"])
            return nil
        }
    }

    private func sound(of entry: CustomMessageEntry) -> PreparedSound? {
        let sound = content.withLock { $0.sound(of: entry) }
        if sound == nil { beginNext() }
        return sound
    }

    private func beginNext() {
        while let (entry, attempt) = content.withLock({ $0.begin() }) {
            let work = Task { [maker] in
                let sound = await maker.sound(of: entry.customMessage)
                finish(entry, attempt, sound)
            }
            let watch = Task { [mostTime] in
                guard (try? await Task.sleep(for: mostTime)) != nil else { return }
                let reason = "it was not ready after \(mostTime.components.seconds) s"
                finish(entry, attempt, .failed(reason: reason, instead: maker.message))
            }
            if !content.withLock({ $0.note([work, watch], of: attempt) }) {
                work.cancel()
                watch.cancel()
            }
        }
    }

    private func finish(_ entry: CustomMessageEntry, _ attempt: Int, _ sound: PreparedSound) {
        guard let tasks = content.withLock({ $0.finish(attempt, sound) }) else { return }
        for task in tasks { task.cancel() }
        if case .failed(let reason, _) = sound {
            logger.warning(
                "cannot be heard as asked", metadata: ["command": "\(entry.customMessage.id)", "reason": "\(reason)"])
        }
        for observer in observers.withLock({ $0 }) { observer() }
        beginNext()
    }
}

/// What there is to be heard of a custom message.
enum PreparedSound: Sendable, Equatable {
    case script(AnnouncementScript)
    /// Not what was asked for. `instead` is said in its stead; with `nil` nothing is.
    case failed(reason: String, instead: AnnouncementScript?)

    /// Of its samples.
    var bytes: Int {
        switch self {
        case .script(let script): script.bytes
        case .failed(_, let script): script?.bytes ?? 0
        }
    }
}

extension AnnouncementScript {
    /// No words at all.
    static let silence = AnnouncementScript(text: "", elements: [])

    fileprivate var bytes: Int {
        elements.reduce(0) { sum, element in
            if case .sound(let sound) = element { sum + sound.samples.count * MemoryLayout<Int16>.size } else { sum }
        }
    }
}

extension CustomMessage.Content {
    var clip: ClipReference? { if case .clip(let clip, _) = self { clip } else { nil } }
}
