import SoundboxCore

/// What a box that is in service answers on its control socket. All of it may take some time; nothing may block.
package struct ControlAnswers: Sendable {
    /// Answers one question about the history.
    package typealias HistoryAnswer = @Sendable (HistoryQuery) async -> Result<JSONValue, HistoryRefusal>

    package var replay: @Sendable () -> Void
    /// Repeats a notice, by its sequence number.
    package var replayNotice: @Sendable (Int64) async -> Result<Void, ControlRefusal>
    /// Changes the volume, unless asked with `nil`.
    package var changeVolume: @Sendable (Command.VolumeChange?) async -> Loudness
    package var history: HistoryAnswer
    package var totals: HistoryAnswer
    package var metrics: @Sendable () async -> [MetricFamily]
    /// What has changed since a version; waits for some seconds where nothing has.
    package var events: @Sendable (_ version: Int) async -> JSONValue
    /// Changes the quiet hours, unless asked with `nil`.
    package var quietHours: @Sendable (QuietChange?) async -> Result<QuietReading, ControlRefusal>
    /// Has the box say that it is ready.
    package var trial: @Sendable () -> Void
    package var speakCode: @Sendable (SignInCode) async -> Result<Void, ControlRefusal>
    /// How the shop's page is to be served.
    package var page: JSONValue
    /// Takes why it is not served; `nil` when it is.
    package var pageProblem: @Sendable (String?) -> Void

    package init(
        replay: @escaping @Sendable () -> Void,
        replayNotice: @escaping @Sendable (Int64) async -> Result<Void, ControlRefusal>,
        changeVolume: @escaping @Sendable (Command.VolumeChange?) async -> Loudness, history: @escaping HistoryAnswer,
        totals: @escaping HistoryAnswer, metrics: @escaping @Sendable () async -> [MetricFamily],
        events: @escaping @Sendable (_ version: Int) async -> JSONValue,
        quietHours: @escaping @Sendable (QuietChange?) async -> Result<QuietReading, ControlRefusal>,
        trial: @escaping @Sendable () -> Void,
        speakCode: @escaping @Sendable (SignInCode) async -> Result<Void, ControlRefusal>, page: JSONValue,
        pageProblem: @escaping @Sendable (String?) -> Void
    ) {
        self.replay = replay
        self.replayNotice = replayNotice
        self.changeVolume = changeVolume
        self.history = history
        self.totals = totals
        self.metrics = metrics
        self.events = events
        self.quietHours = quietHours
        self.trial = trial
        self.speakCode = speakCode
        self.page = page
        self.pageProblem = pageProblem
    }
}
