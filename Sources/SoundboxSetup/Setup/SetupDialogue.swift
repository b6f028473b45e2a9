/// The conversation of `soundbox setup`, as a state machine: it says what to do next and is told how that went. It
/// reads and prints nothing itself.
public struct SetupDialogue: Sendable {
    public enum Step: Sendable, Equatable {
        /// Ask, and hand the line to ``answer(_:)``.
        case ask(SetupQuestion)
        /// Try the broker, and tell with ``brokerWasChecked(isUsable:)``.
        case checkBroker
        /// The broker could not be used: ask whether to go on all the same, and hand the line to ``answer(_:)``.
        case askToGoOn
        /// Play these one after the other, and tell with ``samplesWerePlayed()``.
        case playSamples([SpeakerSample])
        /// Play the greeting and then the code's digits, and tell with ``codeWasSpoken(_:)``.
        case speakCode([Int])
        /// Ask what was heard, and hand the line to ``answer(_:)``.
        case askCode
        /// Everything is known; ``answers`` can be written.
        case finish
        case quit
    }

    public private(set) var answers: SetupAnswers
    public private(set) var step: Step
    /// What was wrong with the last line; shown before the question is asked again.
    public private(set) var problem: String?

    private let choices: SetupChoices
    /// Answers that came by flag: checked, and not asked for.
    private let given: Set<SetupQuestion>
    private let code: [Int]
    private var wrongCodes = 0

    /// How often a wrong code is forgiven, so that a script cannot try all of them.
    static let codeAttempts = 3

    /// - Parameters:
    ///   - answers: what is known already: given by flag, installed, or found out. The usual answers of the questions.
    ///   - given: what is not asked for.
    ///   - code: digits that only somebody who hears this very box can know; empty skips the question.
    public init(answers: SetupAnswers, given: Set<SetupQuestion>, choices: SetupChoices, code: [Int]) {
        self.answers = answers
        self.given = given
        self.choices = choices
        self.code = code
        step = .finish
        step = question(from: SetupQuestion.allCases[...])
    }

    /// Takes a line that was typed. An empty one means the usual answer, `<` the question before, `quit` the end.
    public mutating func answer(_ line: String) {
        let line = line.trimmed
        problem = nil
        if line == "quit" {
            step = .quit
            return
        }
        switch step {
        case .ask(let question): take(line, for: question)
        case .askToGoOn:
            switch line.lowercased() {
            case "y", "yes": step = question(from: Self.afterBroker)
            case "n", "no", "", "<": step = question(from: Self.fromBroker, askingAgain: true)
            default: problem = "expected yes or no"
            }
        case .askCode: takeCode(line)
        case .checkBroker, .playSamples, .speakCode, .finish, .quit: break
        }
    }

    public mutating func brokerWasChecked(isUsable: Bool) {
        guard step == .checkBroker else { return }
        step = isUsable ? question(from: Self.afterBroker) : .askToGoOn
    }

    /// Whether they were heard or not: the names are shown all the same.
    public mutating func samplesWerePlayed() {
        guard case .playSamples = step else { return }
        step = .ask(.speaker)
    }

    /// - Parameter wasHeard: `false` when no sound came out, so that no one can know the code.
    public mutating func codeWasSpoken(_ wasHeard: Bool) {
        guard case .speakCode = step else { return }
        step = wasHeard ? .askCode : .finish
    }

    private static let fromBroker = SetupQuestion.allCases.drop { $0 != .brokerURL }
    private static let afterBroker = SetupQuestion.allCases.drop { $0 != .voice }

    private mutating func take(_ line: String, for question: SetupQuestion) {
        let all = SetupQuestion.allCases
        guard let index = all.firstIndex(of: question) else { return }
        if line == "<" {
            let earlier = all[..<index].last { isAsked($0) }
            if let earlier { step = .ask(earlier) } else { problem = "this is the first question" }
            return
        }
        if question == .speaker, line == "again" {
            step = self.step(asking: question)
            return
        }
        guard let text = line.isEmpty && !question.isSecret ? question.usualAnswer(answers, choices) : line else {
            problem = "an answer is needed here (quit ends without changing anything)"
            return
        }
        do {
            try question.take(text, into: &answers, choices)
            step = self.question(from: all[(index + 1)...])
        } catch {
            problem = "\(error)"
        }
    }

    /// The next thing to do from this question on.
    ///
    /// - Parameter askingAgain: also what was given by flag, since it turned out to be wrong.
    private func question(from rest: ArraySlice<SetupQuestion>, askingAgain: Bool = false) -> Step {
        for question in rest {
            if question == .voice, rest.first != .voice { return .checkBroker }
            if askingAgain ? question.applies(to: answers, choices) : isAsked(question) {
                return step(asking: question)
            }
        }
        return code.isEmpty ? .finish : .speakCode(code)
    }

    private func isAsked(_ question: SetupQuestion) -> Bool {
        question.applies(to: answers, choices) && !given.contains(question)
    }

    /// Whoever is to choose a speaker hears each of them first.
    private func step(asking question: SetupQuestion) -> Step {
        question == .speaker ? .playSamples(choices.samples(for: answers)) : .ask(question)
    }

    private mutating func takeCode(_ line: String) {
        switch line {
        case "", "again": step = .speakCode(code)
        case code.map(String.init).joined(): step = .finish
        default:
            wrongCodes += 1
            if wrongCodes == Self.codeAttempts {
                problem = "that is not what this box said; setup ends, and nothing was changed"
                step = .quit
            } else {
                problem = "that is not what this box said; listen again"
                step = .speakCode(code)
            }
        }
    }
}

extension StringProtocol {
    /// Without blanks at either end, which come with pasting.
    var trimmed: String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
