import SoundboxCore
import SoundboxSystem
import SoundboxVoice

/// The page of a ``VoiceComparison``: one file that loads nothing else; its policy forbids it.
struct ComparisonPage {
    private let comparison: VoiceComparison

    init(_ comparison: VoiceComparison) { self.comparison = comparison }

    var html: String {
        let amounts = comparison.amounts.map(Self.name)
        let title = "Voices compared: \(amounts.joined(separator: ", "))"
        let links = amounts.enumerated().map { "<a href=\"#amount\($0 + 1)\">\(Markup.text($1))</a>" }
        let sections = comparison.amounts.indices.map { section($0) }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="referrer" content="no-referrer">
            <title>\(Markup.text(title))</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <header>
            <h1>Voices compared</h1>
            <p>\(Markup.text(Self.introduction(comparison)))</p>
            <nav aria-label="Amounts">\(links.joined(separator: " "))</nav>
            </header>
            <main>
            \(sections.joined(separator: "\n"))
            </main>
            <script>\(Self.script)</script>
            </body>
            </html>

            """
    }

    /// Nothing is loaded: sound, style and script are in the page. Only this style and this script are allowed, by
    /// hash.
    private static var policy: String {
        func hash(_ text: String) -> String { "'sha256-\(Markup.base64(SHA256.hash(of: Array(text.utf8))))'" }
        return "default-src 'none'; media-src data:; style-src \(hash(style)); script-src \(hash(script)); "
            + "base-uri 'none'; form-action 'none'"
    }

    private static func name(_ money: Money) -> String { "\(money.amount) \(money.currency.code)" }

    private static func introduction(_ comparison: VoiceComparison) -> String {
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

    private func section(_ index: Int) -> String {
        let cards = comparison.takes[index].map { card($0) }
        return """
            <section id="amount\(index + 1)" aria-labelledby="title\(index + 1)">
            <h2 id="title\(index + 1)">\(Markup.text(Self.name(comparison.amounts[index])))</h2>
            <p><button type="button" class="all">Play all, one after the other</button></p>
            \(cards.joined(separator: "\n"))
            </section>
            """
    }

    private func card(_ take: VoiceComparison.Take) -> String {
        let name = take.language.map { " <span\(Markup.attribute("lang", $0.locale))>\(Markup.text($0.name))</span>" }
        let content =
            switch take.outcome {
            case .success(let spoken): Self.content(spoken, language: take.language?.locale ?? "")
            case .failure(let failure): "<p class=\"failure\">Not heard: \(Markup.text(failure.reason))</p>"
            }
        return """
            <article>
            <h3>\(Markup.text(take.folder))\(name ?? "")</h3>
            \(content)
            </article>
            """
    }

    private static func content(_ spoken: SpokenAmount, language: String) -> String {
        let recording = spoken.recording
        func seconds(_ frame: Int) -> String { Markup.number(Double(frame) / Double(recording.sampleRate), 2) }
        let overlaps = spoken.joins.count { !$0.overlap.isEmpty }
        let figures = [
            ("Length", "\(seconds(recording.samples.count)) s"), ("Recordings", "\(spoken.recordingCount)"),
            ("Joins", "\(spoken.joins.count), \(overlaps) overlap"),
            ("Loudness", "\(Markup.number(spoken.loudness.integrated, 1)) LUFS"),
            ("True peak", "\(Markup.number(spoken.loudness.truePeak, 1)) dBTP"),
        ]
        let parts = spoken.parts.map { part in
            guard let source = part.source else {
                return "<li class=\"rest\">rest, \(seconds(part.frames.count)) s</li>"
            }
            return "<li><button type=\"button\" data-from=\"\(seconds(part.frames.lowerBound))\""
                + "\(Markup.attribute("lang", language))>\(Markup.text(source.words))</button> "
                + "<small>\(Markup.text(source.file)).flac, \(seconds(part.frames.lowerBound))–"
                + "\(seconds(part.frames.upperBound)) s</small></li>"
        }
        let wave = Waveform(spoken)
        return """
            <p class="text"\(Markup.attribute("lang", language))>\(Markup.text(spoken.text))</p>
            <audio controls preload="metadata" src="data:audio/flac;base64,\(Markup.base64(spoken.flac))"></audio>
            <dl>\(figures.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" }.joined())</dl>
            <div class="scroll" tabindex="0" role="group" aria-label="Wave">\(wave.whole)</div>
            <ol>\(numbered(parts, of: spoken))</ol>
            \(joins(spoken, wave, language))
            """
    }

    /// Rests have no number, so that the numbers match the picture.
    private static func numbered(_ items: [String], of spoken: SpokenAmount) -> String {
        var number = 0
        return zip(items, spoken.parts).map { item, part in
            if part.source == nil { return item }
            number += 1
            return item.replacing("<li>", with: "<li value=\"\(number)\">", maxReplacements: 1)
        }.joined()
    }

    private static func joins(_ spoken: SpokenAmount, _ wave: Waveform, _ language: String) -> String {
        guard !spoken.joins.isEmpty else { return "" }
        let figures = spoken.joins.map { join in
            let names = [join.part, join.part + 1].map { Markup.text(spoken.parts[$0].source?.words ?? "") }
            let rate = Double(spoken.recording.sampleRate)
            let overlap = Markup.number(Double(join.overlap.count) / rate * 1000, 1)
            let meeting = join.overlap.isEmpty ? "touch" : "overlap by \(overlap) ms"
            let quiet = Markup.number(Double(join.quiet.count) / rate * 1000, 0)
            let lead = max(0, Double(join.overlap.lowerBound) / rate - 0.4)
            return """
                <figure>
                \(wave.enlarged(join))
                <figcaption><button type="button" data-from="\(Markup.number(lead, 2))"\(Markup.attribute("lang", language))>\
                \(names[0]) → \(names[1])</button> \(meeting) at \
                \(Markup.number(Double(join.overlap.lowerBound) / rate, 3)) s, quiet for \(quiet) ms; largest step \
                \(Markup.number(join.jump, 1)) dBFS</figcaption>
                </figure>
                """
        }
        let count = spoken.joins.count == 1 ? "The join" : "\(spoken.joins.count) joins"
        return "<details><summary>\(count), enlarged</summary>\(figures.joined(separator: "\n"))</details>"
    }
}
