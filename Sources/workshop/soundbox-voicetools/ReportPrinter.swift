import ArgumentParser
import SoundboxCommandLine
import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxVoice
import SoundboxWorkshop

/// The output of `soundbox-voicetools check --report`.
struct ReportPrinter {
    /// Valid decimal numbers.
    let amounts: [String]
    let json: Bool

    /// - Throws: ``ExitCode/failure`` if an amount could not be measured; the others are printed.
    func print(_ voices: [Voice]) async throws {
        var failures = 0
        var values: [JSONValue] = []
        for voice in voices {
            let report = try VoiceReport(voice)
            let lack = await report.lackOfFluentReading()
            var lines: [VoiceReport.Line] = []
            for amount in amounts {
                do {
                    guard let currency = report.currency else { throw ValidationError("the voice has no units") }
                    lines.append(try await report.line(for: try Money(amount, currency), isCompared: lack == nil))
                } catch {
                    failures += 1
                    printError("\(voice.language.locale): \(amount): \(error)")
                }
            }
            if json {
                values.append(Self.value(of: voice, lines))
            } else {
                printTable(voice, lines, lack)
            }
        }
        if json { printLine(JSONValue.array(values).text) }
        if failures > 0 { throw ExitCode.failure }
    }

    private func printTable(_ voice: Voice, _ lines: [VoiceReport.Line], _ lack: String?) {
        printLine("\(voice.language.locale):\(lack.map { " no fluent reading to compare with: \($0)" } ?? "")")
        printLine("      amount  recordings  speech ms  rests ms  ratio  gap ms  jump dBFS")
        for line in lines {
            let columns = [
                ("\(line.money.amount)", 12), ("\(line.segmentCount)", 12), ("\(line.speech.inMilliseconds)", 11),
                ("\(line.rests.inMilliseconds)", 10), (line.ratio?.hundredths ?? "–", 7),
                ("\(line.longestGap.inMilliseconds)", 8), (line.largestJump.map { "\($0.tenths)" } ?? "–", 11),
            ]
            printLine(
                columns.map { text, width in String(repeating: " ", count: max(1, width - text.count)) + text }.joined()
                    + "  \(line.text)")
        }
        let ratios = lines.compactMap(\.ratio)
        if !ratios.isEmpty {
            printLine("mean ratio \((ratios.reduce(0, +) / Double(ratios.count)).hundredths)")
        }
    }

    private static func value(of voice: Voice, _ lines: [VoiceReport.Line]) -> JSONValue {
        .object([
            ("locale", .string(voice.language.locale)),
            (
                "amounts",
                .array(
                    lines.map { line in
                        .object([
                            ("amount", .string("\(line.money.amount)")),
                            ("currency", .string(line.money.currency.code)),
                            ("text", .string(line.text)), ("recordings", .integer(line.segmentCount)),
                            ("speech_ms", .integer(line.speech.inMilliseconds)),
                            ("rests_ms", .integer(line.rests.inMilliseconds)),
                            ("fluent_ms", line.fluent.map { .integer($0.inMilliseconds) } ?? .null),
                            ("ratio", line.ratio.map { .number($0.hundredths) } ?? .null),
                            ("longest_gap_ms", .integer(line.longestGap.inMilliseconds)),
                            ("largest_jump_dbfs", line.largestJump.map { .number($0.tenths) } ?? .null),
                        ])
                    })
            ),
        ])
    }
}

extension Double {
    /// Always with two decimals.
    fileprivate var hundredths: String {
        let rounded = Int((self * 100).rounded())
        return "\(rounded / 100).\(rounded % 100 < 10 ? "0" : "")\(rounded % 100)"
    }

    fileprivate var tenths: String { "\((self * 10).rounded() / 10)" }
}
