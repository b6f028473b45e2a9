import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// One announcement on its way through the mixer, period by period.
struct Announcing {
    /// The fade of sound that is cut: long against a click, short against a syllable.
    private static let fade = Duration.milliseconds(8)

    private(set) var mixer: Mixer
    /// How much mute and volume have left of its words, or of its chime if there are no words.
    private(set) var audibility = Audibility.aloud
    let turn: Turn
    /// The peak of its words, or of its chime if there are none, at full volume; 1 is full scale.
    private var peak: Float
    private let delivery: Delivery
    private let timing: Timing
    private let voices: Voices
    private let hasWords: Bool
    private var words: Words
    private var speech: Speech?
    /// Frames from the start of the announcement to the first word.
    private let speechStart: Int
    /// Frames from the next period to the first word.
    private var framesToSpeech: Int
    /// Frames from the next period to the end of the last word.
    private var framesOfWords = 0
    private var hasEndedEarly = false
    private var period: [UInt8] = []

    /// - Parameters:
    ///   - chime: at the rate of the mixer; empty for none. Its first frames are written before anything else is
    ///     decoded; the words follow while it sounds.
    ///   - decoded: what other announcements have decoded.
    ///   - volume: in force from the first frame.
    init(
        _ script: AnnouncementScript, _ delivery: Delivery, _ timing: Timing, _ turn: Turn, _ voices: Voices,
        chime: [Int16], decoded: DecodedRecordings, on mixer: consuming Mixer, at volume: Volume
    ) {
        let format = mixer.format
        var start = format.frames(in: timing.leadIn)
        mixer.begin(volume: volume)
        if !chime.isEmpty {
            mixer.play(chime, on: .chime, after: start)
            start += format.frames(in: timing.chimeToSpeech)
        }
        self.mixer = mixer
        self.delivery = delivery
        self.timing = timing
        self.turn = turn
        self.voices = voices
        hasWords = script.hasWords
        peak = hasWords ? 0 : Speech.peak(of: chime[...])
        words = Words(script, sampleRate: format.sampleRate, decoded: decoded)
        speechStart = start
        framesToSpeech = start
    }

    var isFinished: Bool { words.areComplete && mixer.isFinished }

    /// - Parameter volume: in force at the end of the period.
    mutating func nextPeriod(_ volume: Volume, isMuted: Bool) throws(PlayerError) -> [UInt8] {
        if turn.end.isRaised, !hasEndedEarly { endEarly() }
        if !words.areComplete {
            if framesToSpeech < mixer.format.framesPerPeriod { try laySpeech() }
            framesToSpeech -= mixer.format.framesPerPeriod
        }
        judgeAudibility(at: volume, isMuted: isMuted)
        mixer.render(into: &period, volume: volume)
        framesOfWords -= mixer.format.framesPerPeriod
        return period
    }

    mutating func decodeNext() throws(PlayerError) { try words.decodeNext(voices) }

    private mutating func laySpeech() throws(PlayerError) {
        let gap = delivery.gap ?? timing.gap
        let speech = try words.joined(to: gap, voices)
        mixer.play(speech.samples, on: .speech, after: framesToSpeech)
        framesOfWords = framesToSpeech + speech.samples.count - mixer.format.frames(in: gap) + mixer.latency
        self.speech = speech
        if hasWords { peak = speech.peak }
        let start = speechStart + mixer.latency
        turn.wereLaid(speech.places.map { $0.lowerBound + start..<$0.upperBound + start })
    }

    private mutating func endEarly() {
        hasEndedEarly = true
        let fade = max(1, mixer.format.frames(in: Self.fade))
        mixer.end(.chime, after: fade, fade: fade)
        words.drop()
        guard let speech else { return }
        let place = mixer.position(of: .speech)
        let frames = place < 0 ? 0 : max(speech.end(from: place) - place, fade)
        mixer.end(.speech, after: frames, fade: fade)
        framesOfWords = min(framesOfWords, frames)
    }

    /// Judged by what leaves the mixer, since that is what sounds. A key pressed after the last word, or during the
    /// chime before the first one, changes nothing.
    private mutating func judgeAudibility(at volume: Volume, isMuted: Bool) {
        guard framesOfWords > 0 || !hasWords, audibility == .aloud, peak * volume.gain < Speech.leastPeak else {
            return
        }
        audibility = isMuted ? .muted : .atVolume0
    }
}

/// The speech of one announcement, decoded piece by piece.
struct Words: Sendable {
    private let script: AnnouncementScript
    private let sampleRate: Int
    private let decoded: DecodedRecordings
    private var pieces: [Splicer.Piece] = []
    /// Whether the speech was joined and handed over, or is no longer wanted.
    private(set) var areComplete = false

    /// - Parameter decoded: what other announcements have decoded.
    init(_ script: AnnouncementScript, sampleRate: Int, decoded: DecodedRecordings = DecodedRecordings()) {
        self.script = script
        self.decoded = decoded
        self.sampleRate = sampleRate
    }

    /// Decodes one more recording, if one is left.
    mutating func decodeNext(_ voices: Voices) throws(PlayerError) {
        guard !areComplete, pieces.count < script.elements.count else { return }
        switch script.elements[pieces.count] {
        case .pause(let duration): pieces.append(silence(duration))
        case .phrase(let index):
            do { pieces.append(.sound(try decoded.samples(of: .phrase(index), by: voices, at: sampleRate))) } catch {
                throw .recording(.phrase(index), error)
            }
        case .sound(let sound):
            do { pieces.append(.sound(try sound.samples(at: sampleRate))) } catch { throw .sound(error) }
        }
    }

    /// Decodes the rest and joins everything.
    mutating func joined(to gap: Duration, _ voices: Voices) throws(PlayerError) -> Speech {
        while pieces.count < script.elements.count { try decodeNext(voices) }
        let joined = Splicer(sampleRate: sampleRate).spliced(pieces + [silence(gap)])
        drop()
        return Speech(joined.samples, at: sampleRate, of: script, places: Array(joined.places.dropLast()))
    }

    /// Frees the pieces; the speech is not wanted.
    mutating func drop() {
        areComplete = true
        pieces = []
    }

    private func silence(_ duration: Duration) -> Splicer.Piece {
        .silence(Int(duration / .nanoseconds(1_000_000_000 / Double(sampleRate))))
    }
}
