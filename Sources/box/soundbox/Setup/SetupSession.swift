import SoundboxCommandLine
import SoundboxCore
import SoundboxSetup
import SoundboxYAML

/// Carries out the steps of ``SetupDialogue``.
struct SetupSession {
    let document: YAMLDocument
    let choices: SetupChoices
    let skipChecks: Bool
    let skipSound: Bool

    /// Runs the dialogue.
    /// - Returns: `nil` if the person has quit.
    func run(
        _ answers: SetupAnswers, given: Set<SetupQuestion>, asksForCode: Bool
    ) async throws -> SetupAnswers? {
        let code = asksForCode && !skipSound ? (0..<4).map { _ in Int.random(in: 0...9) } : []
        var dialogue = SetupDialogue(answers: answers, given: given, choices: choices, code: code)
        printLine("Enter takes the answer in [brackets]; < goes back; quit changes nothing.")
        while true {
            switch dialogue.step {
            case .ask(let question):
                let usual = question.usualAnswer(dialogue.answers, choices).map { " [\($0)]" } ?? ""
                dialogue.answer(
                    try await Terminal.ask(
                        "\(question.text(choices))\(usual): ", isSecret: question.isSecret))
            case .checkBroker: dialogue.brokerWasChecked(isUsable: await brokerIsUsable(dialogue.answers))
            case .askToGoOn:
                dialogue.answer(try await Terminal.ask("Go on with this broker all the same? yes or no [no]: "))
            case .playSamples(let samples):
                await play(samples, dialogue.answers)
                dialogue.samplesWerePlayed()
            case .speakCode(let digits):
                printLine("The box now greets you and says \(digits.count) digits.")
                dialogue.codeWasSpoken(await isSpoken(digits, dialogue.answers))
            case .askCode:
                dialogue.answer(try await Terminal.ask("Which digits did this box say? (Enter to hear them again): "))
            case .finish:
                // With a code, the greeting was already played.
                if code.isEmpty, !skipSound { _ = await isSpoken([], dialogue.answers) }
                return dialogue.answers
            case .quit:
                if let problem = dialogue.problem { printLine("  \(problem)") }
                return nil
            }
            if let problem = dialogue.problem { printLine("  \(problem)") }
        }
    }

    /// Runs without a person: a missing answer or a failed check is an error.
    func runUnattended(_ answers: SetupAnswers, force: Bool) async throws -> SetupAnswers? {
        for (text, question) in [
            (answers.merchantID, SetupQuestion.merchantID), (answers.deviceID, .deviceID),
            (answers.brokerURL, .brokerURL),
        ] where text.isEmpty {
            throw SetupError("\(question.option) is missing, and with --yes nothing is asked")
        }
        if await !brokerIsUsable(answers), !force { return nil }
        if !skipSound { _ = await isSpoken([], answers) }
        return answers
    }

    private func brokerIsUsable(_ answers: SetupAnswers) async -> Bool {
        guard !skipChecks else { return true }
        printLine("Trying \(answers.brokerURL) …")
        let findings = await SetupTrial(answers, over: document).checkBroker()
        printFindings(findings)
        return !findings.contains { $0.level == .red }
    }

    /// Plays and lists speakers. If they cannot be heard, the choice is by name.
    private func play(_ samples: [SpeakerSample], _ answers: SetupAnswers) async {
        printLine("Speakers of the chosen language:")
        var isHeard = !skipSound
        for sample in samples {
            printLine("  \(sample)")
            guard isHeard else { continue }
            do { try await SetupTrial(answers, over: document).play(sample) } catch {
                isHeard = false
                printLine("No sound could be tried: \(error)")
            }
        }
    }

    private func isSpoken(_ digits: [Int], _ answers: SetupAnswers) async -> Bool {
        do {
            try await SetupTrial(answers, over: document).speak(digits)
            return true
        } catch {
            printLine("No sound could be tried: \(error)")
            return false
        }
    }
}
