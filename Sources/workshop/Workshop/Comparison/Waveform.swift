import SoundboxVoice

/// SVG pictures of a spoken amount. Colours come from the page's style.
struct Waveform {
    /// The width of a second in the whole picture, in CSS pixels.
    static let pixelsPerSecond = 220.0
    /// The time on either side of an enlarged join.
    static let margin = Duration.milliseconds(60)
    private static let height = 120.0
    /// The height of the names above the wave.
    private static let header = 20.0
    private static let joinWidth = 640.0

    private let spoken: SpokenAmount
    private let rate: Double

    init(_ spoken: SpokenAmount) {
        self.spoken = spoken
        rate = Double(spoken.recording.sampleRate)
    }

    // MARK: The whole

    /// The wave, with recordings by number and words, overlaps and rests.
    var whole: String {
        let scale = Self.pixelsPerSecond / rate
        let width = Double(spoken.recording.samples.count) * scale
        var picture = ""
        var number = 0
        for part in spoken.parts {
            let (begin, extent) = (Double(part.frames.lowerBound) * scale, Double(part.frames.count) * scale)
            guard let source = part.source else {
                picture += box(begin, extent, "rest", title: "rest, \(milliseconds(part.frames.count)) ms")
                continue
            }
            number += 1
            picture += box(
                begin, extent, number.isMultiple(of: 2) ? "even" : "odd", title: "\(number): \(source.words)")
            picture += label(number, source.words, at: begin, room: extent)
        }
        for join in spoken.joins where !join.overlap.isEmpty {
            picture += box(
                Double(join.overlap.lowerBound) * scale, max(1.5, Double(join.overlap.count) * scale), "overlap",
                title: "overlap, \(milliseconds(join.overlap.count)) ms")
        }
        let wave = path(0..<spoken.recording.samples.count, columns: max(1, Int(width)), width: width)
        return svg(
            width, scaled: false, label: "Wave of “\(spoken.text)” with \(spoken.recordingCount) recordings",
            picture + wave + "<line class=\"head\" x1=\"-9\" x2=\"-9\" y1=\"0\" y2=\"\(Self.number(Self.height))\"/>")
    }

    private func label(_ number: Int, _ words: String, at place: Double, room: Double) -> String {
        // Wide scripts need about an em per character, others about half an em.
        let width = words.unicodeScalars.reduce(20.0) { $0 + ($1.value > 0x2E80 ? 13 : 7.5) }
        let text = width <= room ? "\(number) \(words)" : "\(number)"
        return "<text x=\"\(Self.number(place + 3))\" y=\"14\">\(Markup.text(text))</text>"
    }

    // MARK: One join

    /// The wave around a join, with the start of the second recording, the end of the first one, and a scale in
    /// milliseconds.
    func enlarged(_ join: SpokenAmount.Join) -> String {
        let middle = (join.overlap.lowerBound + join.overlap.upperBound) / 2
        let margin = spoken.recording.frames(in: Self.margin)
        let range = max(0, middle - margin)..<min(spoken.recording.samples.count, middle + margin)
        let scale = Self.joinWidth / Double(2 * margin)
        func place(_ frame: Int) -> Double { Double(frame - (middle - margin)) * scale }
        let (begin, end) = (place(join.overlap.lowerBound), place(join.overlap.upperBound))
        var picture = box(0, end, "odd", title: "the first recording")
        picture += box(begin, Self.joinWidth - begin, "even", title: "the second recording")
        if end > begin { picture += box(begin, end - begin, "overlap", title: "overlap") }
        for tick in stride(from: -40, through: 40, by: 20) {
            let place = place(middle + Int(Double(tick) * rate / 1000))
            picture += "<line class=\"tick\" x1=\"\(Self.number(place))\" x2=\"\(Self.number(place))\" "
            picture += "y1=\"\(Self.number(Self.header))\" y2=\"\(Self.number(Self.height))\"/>"
            picture += "<text x=\"\(Self.number(place + 3))\" y=\"14\">\(tick > 0 ? "+" : "")\(tick) ms</text>"
        }
        picture += path(
            range, columns: Int(place(range.upperBound) - place(range.lowerBound)),
            width: place(range.upperBound) - place(range.lowerBound), from: place(range.lowerBound))
        return svg(Self.joinWidth, scaled: true, label: "Wave around the join", picture)
    }

    // MARK: Parts of pictures

    /// The highest and lowest sample of each column; single samples if a column has fewer than two.
    private func path(_ range: Range<Int>, columns: Int, width: Double, from start: Double = 0) -> String {
        guard !range.isEmpty, columns > 0 else { return "" }
        let middle = (Self.header + Self.height) / 2
        let reach = (Self.height - Self.header) / 2 - 2
        let loudest = max(0.05, spoken.recording.samples.reduce(Float(0)) { max($0, abs($1)) })
        func point(_ place: Double, _ sample: Float) -> String {
            "\(Self.number(start + place)),\(Self.number(middle - Double(sample / loudest) * reach))"
        }
        var points: [String] = []
        let samples = spoken.recording.samples
        if range.count < 2 * columns {
            for frame in range {
                points.append(point(Double(frame - range.lowerBound) * width / Double(range.count), samples[frame]))
            }
        } else {
            for column in 0..<columns {
                let begin = range.lowerBound + column * range.count / columns
                let part = samples[begin..<range.lowerBound + (column + 1) * range.count / columns]
                let place = Double(column) * width / Double(columns)
                points.append(point(place, part.max() ?? 0))
                points.append(point(place, part.min() ?? 0))
            }
        }
        return "<polyline class=\"wave\" points=\"\(points.joined(separator: " "))\"/>"
    }

    private func box(_ place: Double, _ width: Double, _ kind: String, title: String) -> String {
        "<rect class=\"\(kind)\" x=\"\(Self.number(place))\" y=\"\(Self.number(Self.header))\" "
            + "width=\"\(Self.number(width))\" height=\"\(Self.number(Self.height - Self.header))\">"
            + "<title>\(Markup.text(title))</title></rect>"
    }

    /// - Parameter isScaled: whether it takes the width of the page; otherwise it keeps its size.
    private func svg(_ width: Double, scaled isScaled: Bool, label: String, _ content: String) -> String {
        let size = "width=\"\(Self.number(width))\" height=\"\(Self.number(Self.height))\""
        return "<svg class=\"\(isScaled ? "join" : "whole")\" role=\"img\"\(Markup.attribute("aria-label", label)) "
            + "\(size) viewBox=\"0 0 \(Self.number(width)) \(Self.number(Self.height))\">\(content)</svg>"
    }

    private func milliseconds(_ frames: Int) -> String { Markup.number(Double(frames) / rate * 1000, 0) }

    private static func number(_ value: Double) -> String { Markup.number(value, 1) }
}
