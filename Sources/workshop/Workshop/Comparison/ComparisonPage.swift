import SoundboxCore
import SoundboxSystem
import SoundboxVoice

/// The page of a ``VoiceComparison``: `comparison.html` with the data that its script shows.
struct ComparisonPage {
    private let comparison: VoiceComparison

    init(_ comparison: VoiceComparison) { self.comparison = comparison }

    var html: String { data.page(from: PackageResources.comparison_html) }

    private var data: JSONValue {
        .object([
            ("introduction", .string(introduction)),
            (
                "amounts",
                .array(
                    zip(comparison.amounts, comparison.takes).map { money, takes in
                        .object([
                            ("name", .string("\(money.amount) \(money.currency.code)")),
                            ("takes", .array(takes.map(\.json))),
                        ])
                    })
            ),
        ])
    }

    private var introduction: String {
        let way =
            switch comparison.loudspeaker {
            case .full: "as the box mixes it"
            case .small(let resonance): "made fit for a small loudspeaker with its resonance at \(resonance) Hz"
            }
        let channel = comparison.channel.map { ", paid by \($0)" } ?? ""
        return
            "Each amount\(channel) in every voice, \(way), at full volume and without the chime. The numbers in a wave "
            + "are recordings; press one to hear it from there. Dark stripes are overlaps, dashed fields are rests."
    }
}

extension VoiceComparison.Take {
    fileprivate var json: JSONValue {
        var members = [("folder", JSONValue.string(folder))]
        if let language { members += [("language", .string(language.name)), ("locale", .string(language.locale))] }
        switch outcome {
        case .success(let spoken): members += spoken.json
        case .failure(let failure): members.append(("failure", .string(failure.reason)))
        }
        return .object(members)
    }
}

extension SpokenAmount {
    /// The columns of a second in the picture of the whole wave, and of the picture of a join.
    private static let columns = (perSecond: 220, ofJoin: 640)
    /// The time on either side of a join in its picture.
    private static let margin = Duration.milliseconds(60)

    /// Times in seconds.
    fileprivate var json: [(String, JSONValue)] {
        let frames = recording.samples.count
        let columns = max(1, frames * Self.columns.perSecond / recording.sampleRate)
        return [
            ("text", .string(text)), ("seconds", seconds(frames)), ("loudness", .real(loudness.integrated)),
            ("truePeak", .real(loudness.truePeak)), ("parts", .array(partsJSON)), ("joins", .array(joins.map(json))),
            ("wave", wave(0..<frames, columns: columns)), ("flac", .string(Base64.text(of: flac))),
        ]
    }

    /// Recordings have numbers, rests have none.
    private var partsJSON: [JSONValue] {
        var number = 0
        return parts.map { part in
            var members = [("begin", seconds(part.frames.lowerBound)), ("end", seconds(part.frames.upperBound))]
            if let (file, words) = part.source {
                number += 1
                members += [("number", .integer(number)), ("file", .string(file)), ("words", .string(words))]
            }
            return .object(members)
        }
    }

    private func json(_ join: Join) -> JSONValue {
        let middle = (join.overlap.lowerBound + join.overlap.upperBound) / 2
        let margin = recording.frames(in: Self.margin)
        let range = max(0, middle - margin)..<min(recording.samples.count, middle + margin)
        return .object([
            ("part", .integer(join.part)), ("begin", seconds(join.overlap.lowerBound)),
            ("end", seconds(join.overlap.upperBound)), ("quiet", seconds(join.quiet.count)),
            ("jump", .real(join.jump)),
            ("wave", wave(range, columns: Self.columns.ofJoin * range.count / (2 * margin))),
        ])
    }

    /// The highest and the lowest sample of each column, in thousandths of the loudest sample; every sample if a column
    /// has fewer than two.
    private func wave(_ range: Range<Int>, columns: Int) -> JSONValue {
        let samples = recording.samples
        let loudest = max(0.05, samples.reduce(Float(0)) { max($0, abs($1)) })
        func thousandths(_ sample: Float?) -> JSONValue { .integer(Int(((sample ?? 0) / loudest * 1000).rounded())) }
        guard range.count >= 2 * columns else { return .array(range.map { thousandths(samples[$0]) }) }
        return .array(
            (0..<columns).flatMap { column in
                let part = samples[
                    range.lowerBound + column * range.count / columns..<range.lowerBound + (column + 1) * range.count
                        / columns]
                return [thousandths(part.max()), thousandths(part.min())]
            })
    }

    private func seconds(_ frames: Int) -> JSONValue { .real(Double(frames) / Double(recording.sampleRate)) }
}

extension JSONValue {
    /// A page whose script shows this value, which takes the place of `"DATA"`.
    func page(from template: [UInt8]) -> String {
        // A `<` stands only in strings. Without one, no text can end the element that holds the data.
        let data = text.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
        return String(decoding: template, as: UTF8.self).replacing(
            "\"DATA\"", with: data.map { String(Substring($0)) }.joined(separator: "\\u003c"), maxReplacements: 1)
    }

    /// `null` if it is infinite: the loudness of silence.
    fileprivate static func real(_ value: Double) -> JSONValue { value.isFinite ? .number("\(value)") : .null }
}
