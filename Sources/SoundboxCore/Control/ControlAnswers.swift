/// What others on this machine may ask of a box that is in service, by its control socket. All of it may take some time;
/// nothing may block.
public struct ControlAnswers: Sendable {
    /// Answers one question about the history.
    public typealias HistoryAnswer = @Sendable (HistoryQuery) async -> Result<JSONValue, HistoryRefusal>

    public var status: @Sendable () async -> BoxStatus
    public var replay: @Sendable () -> Void
    /// Repeats a notice, by its sequence number.
    public var replayNotice: @Sendable (Int64) async -> Result<Void, ControlRefusal>
    /// Changes the volume, unless asked with `nil`.
    /// - Returns: what is in force.
    public var changeVolume: @Sendable (VolumeChange?) async -> Loudness
    public var history: HistoryAnswer
    public var totals: HistoryAnswer
    /// What it can say in figures, as they are now.
    public var metrics: @Sendable () async -> [MetricFamily]
    /// What has changed since a version; waits for some seconds where nothing has.
    public var events: @Sendable (_ version: Int) async -> JSONValue
    /// Changes the quiet hours, unless asked with `nil`.
    public var quietHours: @Sendable (QuietChange?) async -> Result<QuietReading, ControlRefusal>
    /// Has the box say that it is ready.
    public var trial: @Sendable () -> Void
    public var speakCode: @Sendable (SignInCode) async -> Result<Void, ControlRefusal>
    /// How the shop's page is to be served.
    public var page = JSONValue.null
    /// Takes why it is not served; `nil` when it is.
    public var pageProblem: @Sendable (String?) -> Void = { _ in }

    public init(
        status: @escaping @Sendable () async -> BoxStatus, replay: @escaping @Sendable () -> Void,
        replayNotice: @escaping @Sendable (Int64) async -> Result<Void, ControlRefusal>,
        changeVolume: @escaping @Sendable (VolumeChange?) async -> Loudness, history: @escaping HistoryAnswer,
        totals: @escaping HistoryAnswer, metrics: @escaping @Sendable () async -> [MetricFamily],
        events: @escaping @Sendable (_ version: Int) async -> JSONValue,
        quietHours: @escaping @Sendable (QuietChange?) async -> Result<QuietReading, ControlRefusal>,
        trial: @escaping @Sendable () -> Void,
        speakCode: @escaping @Sendable (SignInCode) async -> Result<Void, ControlRefusal>
    ) {
        self.status = status
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
    }
}
