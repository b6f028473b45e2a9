/// The dialogue of `soundbox setup`, a state machine without input and output:
///
///     var dialogue = SetupDialogue(answers: answers, given: [], choices: choices, code: [4, 7, 1])
///     if case .ask(let question) = dialogue.step {
///         print(question.text(choices))
///         dialogue.answer(readLine() ?? "quit")
///     }
public struct SetupDialogue: Sendable {
    public enum Step: Sendable, Equatable {
        /// Ask the question, and pass the line to ``answer(_:)``.
        case ask(SetupQuestion)
        /// Check the broker, and call ``brokerWasChecked(isUsable:)``.
        case checkBroker
        /// The broker is not usable: ask whether to continue, and pass the line to ``answer(_:)``.
        case askToGoOn
        /// Play these one after the other, and call ``samplesWerePlayed()``.
        case playSamples([SpeakerSample])
        /// Play the greeting and the digits of the code, and call ``codeWasSpoken(_:)``.
        case speakCode([Int])
        /// Ask for the code, and pass the line to ``answer(_:)``.
        case askCode
        /// All questions are answered; ``answers`` can be written.
        case finish
        case quit
    }

    public private(set) var answers: SetupAnswers
    public private(set) var step: Step
    /// The problem with the last line, to show before the question is asked again.
    public private(set) var problem: String?

    private let choices: SetupChoices
    /// Questions that flags have answered.
    private let given: Set<SetupQuestion>
    private let code: [Int]
    private var wrongCodes = 0

    /// The number of attempts, so that a script cannot try all codes.
    static let codeAttempts = 3

    /// - Parameters:
    ///   - answers: known answers, from flags, the installed setup or the machine. They are the defaults of the
    ///     questions.
    ///   - given: questions that are not asked.
    ///   - code: digits that the box speaks, to prove that the installer hears this box; empty skips the question.
    public init(answers: SetupAnswers, given: Set<SetupQuestion>, choices: SetupChoices, code: [Int]) {
        self.answers = answers
        self.given = given
        self.choices = choices
        self.code = code
        step = .finish
        step = question(from: SetupQuestion.allCases[...])
    }

    /// Takes a typed line. An empty line is the default answer, `<` the previous question, `quit` the end.
    public mutating func answer(_ line: String) {
        let line = line.trimmed
        problem = nil
        if line == "quit" {
            step = .quit
            return
        }
        switch step {
        case .ask(let question): answer(line, for: question)
        case .askToGoOn:
            switch line.lowercased() {
            case "y", "yes": step = question(from: Self.afterBroker)
            case "n", "no", "", "<": step = question(from: Self.fromBroker, askingAgain: true)
            default: problem = "expected yes or no"
            }
        case .askCode: checkCode(line)
        case .checkBroker, .playSamples, .speakCode, .finish, .quit: break
        }
    }

    public mutating func brokerWasChecked(isUsable: Bool) {
        guard step == .checkBroker else { return }
        step = isUsable ? question(from: Self.afterBroker) : .askToGoOn
    }

    /// Call also if they were not heard: the names are shown in any case.
    public mutating func samplesWerePlayed() {
        guard case .playSamples = step else { return }
        step = .ask(.speaker)
    }

    /// - Parameter wasHeard: `false` if there was no sound; then the code is not asked.
    public mutating func codeWasSpoken(_ wasHeard: Bool) {
        guard case .speakCode = step else { return }
        step = wasHeard ? .askCode : .finish
    }

    private static let fromBroker = SetupQuestion.allCases.drop { $0 != SetupQuestion.brokerURL }
    private static let afterBroker = SetupQuestion.allCases.drop { $0 != SetupQuestion.voice }

    private mutating func answer(_ line: String, for question: SetupQuestion) {
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
            try question.store(text, &answers, choices)
            step = self.question(from: all[(index + 1)...])
        } catch {
            problem = "\(error)"
        }
    }

    /// The next step from this question on.
    ///
    /// - Parameter askingAgain: also asks questions that flags have answered, because an answer was wrong.
    private func question(from rest: ArraySlice<SetupQuestion>, askingAgain: Bool = false) -> Step {
        for question in rest {
            if question == .voice, rest.first != .voice { return .checkBroker }
            if askingAgain ? question.applies(answers, choices) : isAsked(question) {
                return step(asking: question)
            }
        }
        return code.isEmpty ? .finish : .speakCode(code)
    }

    private func isAsked(_ question: SetupQuestion) -> Bool {
        question.applies(answers, choices) && !given.contains(question)
    }

    /// Before the choice of a speaker, each one is played.
    private func step(asking question: SetupQuestion) -> Step {
        question == .speaker ? .playSamples(choices.samples(for: answers)) : .ask(question)
    }

    private mutating func checkCode(_ line: String) {
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
    /// Without blanks at either end, which pasting adds.
    var trimmed: String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
