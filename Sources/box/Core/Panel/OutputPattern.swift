/// What the LED and the vibration motor do over time, as data.
///
///     let red = PanelOutputs(color: .red)
///     let pattern = OutputPattern(ending: .repeat([.init(.seconds(1), red), .init(.seconds(1), .off)]))
///     let moment = pattern.moment(at: .milliseconds(1500))  // off, for 500 ms
///
/// First the steps of ``intro``, once; then ``ending``, without end.
public struct OutputPattern: Sendable, Equatable {
    public struct Step: Sendable, Equatable {
        /// Above zero.
        public var duration: Duration
        public var outputs: PanelOutputs

        public init(_ duration: Duration, _ outputs: PanelOutputs) {
            self.duration = duration
            self.outputs = outputs
        }
    }

    public enum Ending: Sendable, Equatable {
        case hold(PanelOutputs)
        /// Starts again after the last step.
        case `repeat`([Step])
    }

    /// The state of the outputs at one moment.
    public struct Moment: Sendable, Equatable {
        public var outputs: PanelOutputs
        /// How long they stay like this, above zero; `nil` for ever.
        public var remaining: Duration?

        public init(outputs: PanelOutputs, remaining: Duration?) {
            self.outputs = outputs
            self.remaining = remaining
        }
    }

    public let intro: [Step]
    public let ending: Ending

    /// Steps without duration are left out. A pattern that would repeat nothing is off.
    public init(intro: [Step] = [], ending: Ending) {
        self.intro = intro.filter { $0.duration > .zero }
        if case .repeat(let steps) = ending {
            let lasting = steps.filter { $0.duration > .zero }
            self.ending = lasting.isEmpty ? .hold(.off) : .repeat(lasting)
        } else {
            self.ending = ending
        }
    }

    /// The outputs when `elapsed` has passed since the pattern began.
    public func moment(at elapsed: Duration) -> Moment {
        var time = max(.zero, elapsed)
        if let moment = Self.moment(at: time, in: intro) { return moment }
        time -= Self.duration(of: intro)
        switch ending {
        case .hold(let outputs):
            return Moment(outputs: outputs, remaining: nil)
        case .repeat(let steps):
            let cycle = Self.duration(of: steps)
            let phase = Duration(attoseconds: time.attoseconds % cycle.attoseconds)
            return Self.moment(at: phase, in: steps) ?? Moment(outputs: .off, remaining: nil)
        }
    }

    private static func moment(at time: Duration, in steps: [Step]) -> Moment? {
        var end = Duration.zero
        for step in steps {
            end += step.duration
            if time < end { return Moment(outputs: step.outputs, remaining: end - time) }
        }
        return nil
    }

    private static func duration(of steps: [Step]) -> Duration {
        steps.reduce(.zero) { $0 + $1.duration }
    }
}
