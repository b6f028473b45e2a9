import ArgumentParser
import SoundboxCommandLine
import SoundboxCore
import SoundboxVoice
import SoundboxWorkshop

/// The output of `soundbox-voicetools check --oracle`.
struct OraclePrinter {
    private let oracle = VoiceOracle()
    /// The file of deviations, for one voice.
    let deviations: String?
    let ruleSet: String?

    /// - Throws: ``ExitCode/failure`` if a voice differs from ICU without a deviation, or cannot be compared. The other
    ///   voices are still compared.
    func print(_ voices: [Voice]) throws {
        var isFailed = false
        for voice in voices {
            do {
                let report = try oracle.compare(voice.language, deviations: deviations, ruleSet: ruleSet)
                isFailed = isFailed || report.wrong > 0
                printLine(
                    "\(voice.name): \(report.compared) amounts beside ICU \(oracle.version): \(report.equal) equal, "
                        + "\(report.deviating) as the deviations say, \(report.wrong) different")
                for example in report.examples {
                    let expected = example.expected == example.icu ? "" : ", with the deviations \(example.expected)"
                    printLine("  \(example.amount): \(example.own); ICU: \(example.icu)\(expected)")
                }
                if report.wrong > report.examples.count {
                    printLine("  and \(report.wrong - report.examples.count) more")
                }
                for place in report.unusedRules { printLine("  \(place): this deviation changes no amount") }
            } catch {
                isFailed = true
                printError("\(voice.name): \(error)")
            }
        }
        if isFailed { throw ExitCode.failure }
    }
}
