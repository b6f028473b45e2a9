import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// One announcement on its way through the mixer, period by period.
struct Announcing {
    let delivery: Delivery
    let turn: Turn
    let voices: Voices
    var chime: [Int16] = []
    /// What mute and volume have left of its words, or of its chime where there are no words.
    private(set) var manner = Manner.aloud
    /// Of these, at full volume; 1 is full scale.
    private var peak: Float = 0
    /// From the period that is rendered next to the end of the last word.
    var framesOfWords = 0

    private let hasWords: Bool
    private let timing: Timing
    private let format: PCMFormat
    private var words: Words
    private var speech: Speech?
    /// From the period that is rendered next to the first word.
    private var framesToSpeech: Int
    /// From the first frame of the announcement to the first word.
    private var speechStart = 0
    private var hasEndedEarly = false

    init(
        _ script: AnnouncementScript, _ delivery: Delivery, _ timing: Timing, _ turn: Turn, _ voices: Voices,
        _ format: PCMFormat
    ) {
        self.delivery = delivery
        self.timing = timing
        self.turn = turn
        self.voices = voices
        self.format = format
        hasWords = script.hasWords
        words = Words(script, sampleRate: format.sampleRate)
        framesToSpeech = format.frames(in: timing.leadIn)
    }

    var areWordsComplete: Bool { words.areComplete }

    func isFinished(on desk: Desk) -> Bool {
        words.areComplete && desk.mixer.isFinished(.chime) && desk.mixer.isFinished(.speech)
    }

    /// The chime's first frames are written before anything else is decoded; the words follow while it sounds.
    mutating func begin(on desk: inout Desk) {
        // A ring makes room from the first frame: it is down when the chime begins, and does not come up in between.
        desk.mixer.holdsRingDown = true
        if !hasWords { peak = Speech.peak(of: chime[...]) }
        if !chime.isEmpty {
            desk.mixer.play(chime, on: .chime, after: framesToSpeech)
            framesToSpeech += format.frames(in: timing.chimeToSpeech)
        }
        speechStart = framesToSpeech
    }

    /// Before a period is rendered: puts the words on their bus in time, and ends them when that is asked for.
    mutating func prepare(on desk: inout Desk) throws(PlayerError) {
        if turn.end.isRaised, !hasEndedEarly { endEarly(on: &desk) }
        if !words.areComplete {
            if framesToSpeech < format.framesPerPeriod {
                let gap = delivery.gap ?? timing.gap
                let speech = try words.joined(to: gap, voices)
                desk.mixer.play(speech.samples, on: .speech, after: framesToSpeech)
                framesOfWords = framesToSpeech + speech.samples.count - format.frames(in: gap) + desk.mixer.latency
                self.speech = speech
                if hasWords { peak = speech.peak }
                let start = speechStart + desk.mixer.latency
                turn.wereLaid(speech.places.map { $0.lowerBound + start..<$0.upperBound + start })
            }
            framesToSpeech -= format.framesPerPeriod
        }
        if words.areComplete, desk.mixer.isFinished(.chime), framesOfWords <= 0 { desk.mixer.holdsRingDown = false }
    }

    private mutating func endEarly(on desk: inout Desk) {
        hasEndedEarly = true
        let fade = desk.fadeFrames
        desk.mixer.end(.chime, after: fade, fade: fade)
        words.drop()
        guard let speech else { return }
        let place = desk.mixer.position(of: .speech)
        let frames = place < 0 ? 0 : max(speech.end(from: place) - place, fade)
        desk.mixer.end(.speech, after: frames, fade: fade)
        framesOfWords = min(framesOfWords, frames)
    }

    mutating func decodeNext() throws(PlayerError) { try words.decodeNext(voices) }

    /// Judged by what leaves the mixer, since that is what sounds. A key that is pressed after the last word, or under the
    /// chime before the first one, takes nothing away.
    /// - Parameter gain: that the mixer gives chime and words; 0 while muted.
    mutating func note(gain: Float, isMuted: Bool) {
        guard framesOfWords > 0 || !hasWords, manner == .aloud, peak * gain < Speech.leastPeak else { return }
        manner = isMuted ? .muted : .atVolume0
    }

    /// The last period fades: a cut in the middle of a wave would be a click.
    func lastPeriod(on desk: inout Desk, _ gains: Mixer.Gains) -> [UInt8] {
        desk.render(Mixer.Gains(announcement: 0, ring: desk.ring == nil ? 0 : gains.ring))
    }
}
