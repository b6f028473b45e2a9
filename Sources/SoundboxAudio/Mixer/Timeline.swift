/// What sounds on one bus, one clip after the other, without a gap that is not named.
public struct Bus: Sendable, Equatable {
    public enum Clip: Sendable, Equatable {
        /// Mono samples at the sink's rate.
        case samples([Int16])
        /// Frames of silence.
        case silence(Int)

        var frameCount: Int {
            switch self {
            case .samples(let samples): samples.count
            case .silence(let frames): frames
            }
        }
    }

    public var clips: [Clip]

    public init(_ clips: [Clip]) {
        self.clips = clips
    }

    public var frameCount: Int { clips.reduce(0) { $0 + $1.frameCount } }
}

/// Everything that sounds in one announcement: the buses begin together and are summed.
public struct Timeline: Sendable, Equatable {
    public var chime: Bus
    public var speech: Bus

    public init(chime: Bus, speech: Bus) {
        self.chime = chime
        self.speech = speech
    }

    /// Until the last bus has ended.
    public var frameCount: Int { max(chime.frameCount, speech.frameCount) }
}
