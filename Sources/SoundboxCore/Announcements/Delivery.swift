/// What surrounds the words of every announcement.
public struct Timing: Sendable, Equatable {
    /// Silence first, for codecs that swallow the first milliseconds after a pause.
    public var leadIn: Duration
    /// From the start of the chime to the first word: the chime's tail rings on under the speech.
    public var chimeToSpeech: Duration
    /// Silence at the end, so that two announcements in a row are heard as two.
    public var gap: Duration
    /// How long after the last announcement the device is closed, so that an amplifier can sleep; `nil` keeps it open
    /// and prepared, which starts soonest.
    public var closeWhenIdle: Duration?

    public init(
        leadIn: Duration = .milliseconds(20), chimeToSpeech: Duration = .milliseconds(550),
        gap: Duration = .milliseconds(500), closeWhenIdle: Duration? = nil
    ) {
        self.leadIn = leadIn
        self.chimeToSpeech = chimeToSpeech
        self.gap = gap
        self.closeWhenIdle = closeWhenIdle
    }
}

/// How one announcement is spoken.
public struct Delivery: Sendable, Equatable {
    /// Whether the chime comes first: the one of arrivals.
    public var hasChime: Bool
    /// Whether the chime sounds when there is no word to say, even without ``hasChime``.
    public var chimeReplacesWords = false
    /// Silence at the end; `nil` for what ``Timing/gap`` says.
    public var gap: Duration?
    /// The volume in force is held within these, however the keys are pressed meanwhile. Mute counts nevertheless.
    public var loudness: ClosedRange<Volume>

    public init(
        hasChime: Bool = true, gap: Duration? = nil, loudness: ClosedRange<Volume> = Volume(0)...Volume(100)
    ) {
        self.hasChime = hasChime
        self.gap = gap
        self.loudness = loudness
    }

    /// The same for a script that is there: with words, or without a single one.
    public func fitted(toWords hasWords: Bool) -> Delivery {
        var delivery = self
        if chimeReplacesWords, !hasWords { delivery.hasChime = true }
        return delivery
    }
}
