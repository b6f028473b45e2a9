import SoundboxCore
import SoundboxSpeech
import SoundboxVoice

/// The mixer and the ring that is on it. Jobs of the sound thread hand it on to each other, so that a ring goes on
/// through announcements from sample to sample.
struct Desk: Sendable {
    /// Over which sound fades that ends before its end: long against a click, short against a syllable.
    static let fade = Duration.milliseconds(8)
    /// Between the bell and the words of a ring.
    static let restBeforeWords = Duration.milliseconds(200)

    var mixer: Mixer
    private var period: [UInt8] = []
    private var hasBegun = false
    /// Of the ring.
    var pace: Pace
    private var bell: [Int16] = []
    /// What is on the ring bus.
    private var ringing: Ringing?

    private struct Ringing: Sendable {
        let ring: Ring
        /// `nil` when they are on the bus, or there are none.
        var words: Words?
    }

    init(format: PCMFormat, loudspeaker: Loudspeaker) {
        mixer = Mixer(format: format, loudspeaker: loudspeaker)
        pace = Pace(format)
    }

    var format: PCMFormat { mixer.format }
    /// The ring that is on the bus, or fades out there.
    var ring: Ring? { ringing?.ring }
    var fadeFrames: Int { max(1, format.frames(in: Self.fade)) }

    /// An announcement begins, or a ring without one. While a ring is on the bus nothing begins anew.
    mutating func begin(_ gains: Mixer.Gains) {
        guard ringing == nil || !hasBegun else { return endAnnouncement() }
        mixer.begin(gains: gains)
        hasBegun = true
    }

    /// Chime and words are dropped.
    mutating func endAnnouncement() {
        mixer.stop(.chime)
        mixer.stop(.speech)
        mixer.holdsRingDown = false
    }

    /// Has the ring bus sound as is wanted, from the next frame on: puts a ring there, goes on preparing its words, or
    /// takes it away with a fade.
    ///
    /// - Parameter mayDecode: whether there is time for that before the next period.
    /// - Returns: why the words of the ring cannot be had. It rings without them.
    mutating func follow(_ ring: Ring?, _ voices: Voices, mayDecode: Bool = true) -> PlayerError? {
        let wanted = ring.flatMap { $0.isStopped ? nil : $0 }
        if let ringing, ringing.ring !== wanted {
            mixer.end(.ring, after: fadeFrames, fade: fadeFrames)
            self.ringing = nil
            return nil
        }
        guard let wanted else { return nil }
        if ringing == nil {
            // The last one fades out first.
            guard mixer.isFinished(.ring) else { return nil }
            begin(ringing: wanted)
            return nil
        }
        return goOnWithWords(voices, mayDecode: mayDecode)
    }

    private mutating func begin(ringing ring: Ring) {
        let rate = format.sampleRate
        if bell.isEmpty { bell = RingTone.samples(at: rate) }
        mixer.loop(bell + silence(RingTone.rest), on: .ring)
        let words = ring.script.hasWords ? Words(ring.script, sampleRate: rate) : nil
        ringing = Ringing(ring: ring, words: words)
        pace = Pace(format)
    }

    /// While the bell sounds for the first time there is time for one recording per period.
    private mutating func goOnWithWords(_ voices: Voices, mayDecode: Bool) -> PlayerError? {
        guard var words = ringing?.words else { return nil }
        defer { ringing?.words = words.areComplete ? nil : words }
        do throws(PlayerError) {
            if mixer.position(of: .ring) + 2 * format.framesPerPeriod < bell.count {
                if mayDecode { try words.decodeNext(voices) }
                return nil
            }
            let speech = try words.joined(to: RingTone.rest, voices)
            let place = min(mixer.position(of: .ring), bell.count)
            mixer.loop(bell + silence(Self.restBeforeWords) + speech.samples, on: .ring, from: place)
            return nil
        } catch {
            words.drop()
            return error
        }
    }

    private func silence(_ duration: Duration) -> [Int16] {
        [Int16](repeating: 0, count: format.frames(in: duration))
    }

    /// Renders the next period.
    mutating func render(_ gains: Mixer.Gains) -> [UInt8] {
        mixer.render(into: &period, gains: gains)
        return period
    }
}
