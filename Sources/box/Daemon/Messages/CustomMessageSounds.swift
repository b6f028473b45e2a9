import Logging
import SoundboxCore
import SoundboxSpeech
import SoundboxVoice
import Synchronization

/// Prepares the sounds of custom messages from recordings, a synthesiser or clips:
///
///     sounds.whenChanged { requests.inboxChanged() }
///     sounds.prepare(entries)
///     if case .ready(let script) = sounds.speech(of: entry) { play(script) }
///
/// Sounds are made from the message's arrival on, and again after a restart, so that playing begins at once: rings
/// before sentences, older ones first. At most ``mostAtOnce`` are made at a time, each within ``mostTime``, and ready
/// sounds take ``mostMemory`` at most. Others are made when there is room. Any thread; never blocks.
package final class CustomMessageSounds: SpokenCustomMessages {
    static let mostAtOnce = 2
    /// The synthesiser and the clip source have shorter timeouts of their own.
    static let mostTime = Duration.seconds(60)
    /// Bytes of samples.
    static let mostMemory = 16 << 20

    package let store: any CustomMessageStore
    private let maker: CustomMessageSoundMaker
    private let mostTime: Duration
    private let logger: Logger
    private let content: Mutex<CustomMessageSoundQueue>
    private let observers = Mutex<[@Sendable () -> Void]>([])

    /// - Parameters:
    ///   - synthesizer: `nil` if text without recordings cannot be spoken.
    ///   - clips: `nil` if clips are not allowed.
    package init(
        store: any CustomMessageStore, voices: Voices, synthesizer: (any SpeechSynthesizer)?, clips: (any ClipSource)?,
        logger: Logger,
        mostMemory: Int = CustomMessageSounds.mostMemory, mostTime: Duration = CustomMessageSounds.mostTime
    ) {
        self.store = store
        maker = CustomMessageSoundMaker(voices: voices, synthesizer: synthesizer, clips: clips)
        content = Mutex(CustomMessageSoundQueue(mostAtOnce: Self.mostAtOnce, mostMemory: mostMemory))
        self.mostTime = mostTime
        self.logger = logger
    }

    convenience init(in box: BoxContext) {
        self.init(
            store: box.inbox, voices: box.voices, synthesizer: box.synthesizer, clips: box.clips, logger: box.logger)
        whenChanged { [requests = box.requests] in requests.inboxChanged() }
    }

    /// Calls `body` each time a sound has become ready or has failed. It must not block.
    package func whenChanged(_ body: @escaping @Sendable () -> Void) { observers.withLock { $0.append(body) } }

    /// Makes the sounds of these, and forgets all others.
    package func prepare(_ entries: [CustomMessageEntry]) {
        let clips = Set(entries.compactMap(\.customMessage.content.clip))
        let changes = content.withLock { ($0.keep(entries), $0.keepClips(clips)) }
        for task in changes.0 { task.cancel() }
        if changes.1 { Task { [maker] in await maker.keep(clips) } }
        beginNext()
    }

    /// The current state of its sound. Prepares an unknown entry.
    package func speech(of entry: CustomMessageEntry) -> Announcer.Speech {
        switch sound(of: entry) {
        case .script(let script)?: .ready(script)
        case .failed(let reason, let instead)?: .failed(reason: reason, instead: instead)
        case nil: .pending
        }
    }

    /// The words of a ring, empty for the tone alone; `nil` while they are being made. Prepares an unknown entry.
    package func words(of ring: CustomMessageEntry) -> AnnouncementScript? {
        if ring.customMessage.content == .tone { return .silence }
        return switch sound(of: ring) {
        case .script(let script)?: script
        // The bell rings even without words.
        case .failed(_, let instead)?: instead ?? .silence
        case nil: nil
        }
    }

    /// The words of a notice's text, after the marker; `nil` if there are none. Suspends while they are made.
    package func words(ofText text: String) async -> AnnouncementScript? {
        switch await maker.words(of: text) {
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
            if !content.withLock({ $0.add([work, watch], of: attempt) }) {
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

/// The sound of a custom message.
enum PreparedSound: Sendable, Equatable {
    case script(AnnouncementScript)
    /// The sound cannot be made. `instead` is played; with `nil` nothing is.
    case failed(reason: String, instead: AnnouncementScript?)

    /// Bytes of its samples.
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
