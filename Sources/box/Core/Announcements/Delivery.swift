/// The silences and pauses around the words of every announcement.
public struct Timing: Sendable, Equatable {
    /// Silence at the start, for codecs that swallow the first milliseconds after a pause.
    public var leadIn: Duration
    /// From the start of the chime to the first word: the chime's tail continues under the speech.
    public var chimeToSpeech: Duration
    /// Silence at the end, so that two announcements in a row are heard as two.
    public var gap: Duration
    /// How long after the last announcement the device is closed, so that an amplifier can sleep; `nil` keeps it open
    /// and prepared, which gives the fastest start.
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
    /// Whether the payments' chime comes first.
    public var hasChime: Bool
    /// Whether the chime plays if there is no word to say, even without ``hasChime``.
    public var chimeReplacesWords = false
    /// Silence at the end; `nil` uses ``Timing/gap``.
    public var gap: Duration?
    /// The range that the volume is limited to, whatever keys are pressed meanwhile. Mute still works.
    public var loudness: ClosedRange<Volume>

    public init(
        hasChime: Bool = true, gap: Duration? = nil, loudness: ClosedRange<Volume> = Volume(0)...Volume(100)
    ) {
        self.hasChime = hasChime
        self.gap = gap
        self.loudness = loudness
    }

    /// The same delivery for a script with or without words.
    public func fitted(toWords hasWords: Bool) -> Delivery {
        var delivery = self
        if chimeReplacesWords, !hasWords { delivery.hasChime = true }
        return delivery
    }
}
