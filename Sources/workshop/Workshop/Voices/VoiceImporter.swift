import Glibc
import SoundboxCore
import SoundboxVoice
import SoundboxYAML

/// Converts a person's takes into the recordings of a voice: cut, centred, levelled, checked and named.
///
///     let importer = try VoiceImporter(directory: "sounds/zh-CN", selection: .missing)
///     let report = try importer.importFiles(["take.wav"], pause: VoiceImporter.usualPause, isPartial: false)
///
/// For the command line: its calls block on the disk and compute for seconds.
public struct VoiceImporter: Sendable {
    /// One phrase of a take or one file.
    public struct Piece: Sendable, Equatable {
        public let entry: RecordingEntry
        /// Its position in the file.
        public let start: Duration
        public let end: Duration
    }

    public struct Report: Sendable, Equatable {
        /// Written pieces, in the order of the list.
        public fileprivate(set) var imported: [Piece] = []
        /// Pieces that were not written, and why; existing files are unchanged.
        public fileprivate(set) var refused: [(piece: Piece, problem: String)] = []
        /// Phrases after the end of a partial take.
        public fileprivate(set) var absent: [RecordingEntry] = []

        public static func == (left: Report, right: Report) -> Bool {
            left.imported == right.imported && left.absent == right.absent
                && left.refused.elementsEqual(right.refused) { $0.piece == $1.piece && $0.problem == $1.problem }
        }
    }

    /// The range of the pause between two phrases.
    public static let pauses = TakeSplitter.pauses
    /// The default pause.
    public static let usualPause = TakeSplitter.usualPause
    /// A longer take is refused before it fills the memory. A large voice takes a quarter of an hour.
    static let longestTake = Duration.seconds(1800)

    private let directory: String
    private let list: RecordingList
    private let lines: [RecordingScript.Line]
    private let replacesPersons: Bool

    /// - Parameters:
    ///   - directory: the voice's folder, with its `voice.yaml`.
    ///   - selection: the entries to import.
    ///   - replacesPersons: whether recordings of a person may be overwritten. Synthesised ones always are.
    /// - Throws: ``YAMLError`` for the list.
    public init(directory: String, selection: RecordingScript.Selection = .all, replacesPersons: Bool = false) throws {
        self.directory = directory
        list = try RecordingList(reading: YAMLValue(readingFile: "\(directory)/voice.yaml"))
        lines = try RecordingScript(directory: directory, selection: selection).lines
        self.replacesPersons = replacesPersons
    }

    /// Imports files of one phrase each, or one take of the whole script.
    ///
    /// A file that is named after an entry (`yi1.wav`, or its text: `一.wav`) contains that phrase. A single file with
    /// any other name is a take.
    /// - Parameters:
    ///   - pause: silence that separates two phrases of a take.
    ///   - isPartial: whether a take may end before the script.
    /// - Throws: ``ImportError`` or ``RecordingError``; nothing is written then.
    public func importFiles(_ paths: [String], pause: Duration, isPartial: Bool) throws -> Report {
        if paths.count == 1, let path = paths.first, entry(namedLike: path) == nil {
            return try importTake(path, TakeSplitter(pause: pause), isPartial: isPartial)
        }
        var cuts: [Cut] = []
        var report = Report()
        for (path, entry) in try entries(of: paths) {
            let recording = try AudioFile(reading: path).recording
            if let sound = TakeSplitter(pause: pause).sound(in: recording.removingOffset()) {
                cuts.append(Cut(of: entry, sound, from: recording))
            } else {
                report.refused.append((Piece(entry: entry, start: .zero, end: .zero), "\(path) is silent"))
            }
        }
        try keep(cuts, in: &report)
        return report
    }

    private func importTake(_ path: String, _ splitter: TakeSplitter, isPartial: Bool) throws -> Report {
        guard !lines.isEmpty else { throw ImportError.nothingToDo }
        try refuseToReplace(lines.map(\.entry))
        let take = try AudioFile(reading: path, limit: Self.longestTake).recording
        let centred = take.removingOffset()
        let phrases = try splitter.phrases(in: centred)
        // After a missing phrase, each recording would get its neighbour's name, and the voice would speak wrong
        // amounts. So a pause that gives the right number is proposed, and never used automatically.
        guard phrases.count == lines.count || isPartial && phrases.count < lines.count else {
            throw ImportError.countDiffers(
                file: path, found: phrases.count, expected: lines.count,
                starts: phrases.map { take.time(of: $0.lowerBound) }, slip: slip(in: take, phrases),
                betterPause: try splitter.pause(thatGives: lines.count, in: centred))
        }
        var report = Report()
        report.absent = lines.dropFirst(phrases.count).map(\.entry)
        try keep(zip(lines, phrases).map { Cut(of: $0.entry, $1, from: take) }, in: &report)
        return report
    }

    /// Where take and script are likely to differ.
    private func slip(in take: Recording, _ phrases: [Range<Int>]) -> ImportError.Slip? {
        // Existing recordings give the lengths of the phrases; otherwise the numbers of letters do.
        let known = lines.map { line in
            (try? AudioFile(reading: path(of: line.entry)).recording.duration).map { $0 / .seconds(1) }
        }
        let isKnown = known.allSatisfy { $0 != nil }
        let expected = zip(lines, known).map { line, seconds in
            isKnown ? seconds ?? 0 : Double(line.entry.text.count { !$0.isWhitespace }) + 1
        }
        let slip = TakeAlignment.firstSlip(found: phrases.map { Double($0.count) }, expected: expected)
        return slip.flatMap { slip in
            let frame = phrases.indices.contains(slip.found) ? phrases[slip.found].lowerBound : phrases.last?.upperBound
            return ImportError.Slip(
                time: take.time(of: frame ?? 0),
                phrase: lines.indices.contains(slip.expected) ? lines[slip.expected].entry.text : nil)
        }
    }

    /// Finishes, checks and writes the pieces. A piece that fails does not prevent the others.
    private func keep(_ cuts: [Cut], in report: inout Report) throws(RecordingError) {
        for cut in cuts {
            let finished: Recording
            do throws(RecordingError) {
                finished = try cut.finished(for: list)
                var inspection = RecordingInspection(file: cut.piece.entry.file, recording: finished)
                try inspection.inspectSound(loudness: RecordingCheck.loudnessWindow(around: list.loudness))
                if let problem = inspection.problems.first {
                    throw .unusable(file: finished.name, reason: "\(problem.problem), expected \(problem.expected)")
                }
            } catch {
                report.refused.append((cut.piece, error.reason))
                continue
            }
            try AudioFile.write(
                finished, to: "\(directory)/\(cut.piece.entry.file)", isSynthesized: false,
                accepts: {
                    RecordingInspection.isSound($0, loudness: RecordingCheck.loudnessWindow(around: list.loudness))
                })
            report.imported.append(cut.piece)
        }
    }

    // MARK: Names

    private func path(of entry: RecordingEntry) -> String { RecordingFormat.path(of: "\(directory)/\(entry.file)") }

    /// The entry with the file's name, as its file or its text.
    private func entry(namedLike path: String) -> RecordingEntry? {
        let name = path.split(separator: "/").last ?? ""
        let stem = String(name.lastIndex(of: ".").map { name[..<$0] } ?? name)
        return list.entries.first { $0.file == stem } ?? list.entries.first { $0.text == stem }
    }

    /// The entries of the files, without those outside of the selection.
    private func entries(of paths: [String]) throws(ImportError) -> [(path: String, entry: RecordingEntry)] {
        var named: [(path: String, entry: RecordingEntry)] = []
        for path in paths {
            guard let entry = entry(namedLike: path) else { throw .unknownName(path) }
            if let other = named.first(where: { $0.entry == entry }) { throw .sameEntry(other.path, path) }
            named.append((path, entry))
        }
        named.removeAll { item in !lines.contains { $0.entry == item.entry } }
        guard !named.isEmpty else { throw .nothingToDo }
        try refuseToReplace(named.map(\.entry))
        return named
    }

    private func refuseToReplace(_ entries: [RecordingEntry]) throws(ImportError) {
        if replacesPersons { return }
        let persons = entries.filter { (try? AudioFile(reading: path(of: $0)))?.isSynthesized == false }
        if !persons.isEmpty { throw .wouldReplace(persons.map(\.file)) }
    }
}

/// One phrase of a take, with some of the silence around it.
private struct Cut {
    /// Silence on either side while the phrase is processed, so that filters can settle.
    private static let margin = Duration.milliseconds(100)

    let piece: VoiceImporter.Piece
    private let recording: Recording
    /// The frames of the phrase in ``recording``.
    private let sound: Range<Int>

    init(of entry: RecordingEntry, _ sound: Range<Int>, from take: Recording) {
        let margin = take.frames(in: Self.margin)
        let frames = max(0, sound.lowerBound - margin)..<min(take.samples.count, sound.upperBound + margin)
        piece = VoiceImporter.Piece(
            entry: entry, start: take.time(of: sound.lowerBound), end: take.time(of: sound.upperBound))
        recording = Recording(name: entry.file, sampleRate: take.sampleRate, samples: Array(take.samples[frames]))
        self.sound = sound.lowerBound - frames.lowerBound..<sound.upperBound - frames.lowerBound
    }

    /// The finished phrase: centred, cut, at the voice's rate and loudness.
    func finished(for list: RecordingList) throws(RecordingError) -> Recording {
        // First, because levelling hides clipping, and nothing repairs it.
        guard !recording.isClipped else {
            throw .unusable(file: recording.name, reason: "is clipped, expected a softer recording level")
        }
        let cut = SilenceTrimmer().cut(recording.removingOffset(), around: sound)
        let leveler = Leveler(target: list.loudness)
        var finished = try leveler.leveled(Resampler.resample(cut, to: list.sampleRate, quality: .best))
        // The take's noise decided where the phrase begins and ends. The check has a fixed threshold, so breath that it
        // counts as silence is cut again. That changes the loudness, which may raise more breath above the threshold.
        for _ in 0..<4 {
            let trimmed = RecordingCheck.withinMargins(finished)
            guard trimmed != finished else { break }
            finished = try leveler.leveled(trimmed)
        }
        return finished.centred
    }
}

extension Recording {
    /// Without a mean offset. After a high-pass, a short piece may still have a small one. The correction rises and
    /// falls over the whole length, so that both ends stay at zero.
    fileprivate var centred: Recording {
        let offset = offset
        guard samples.count > 1, offset != 0 else { return self }
        var centred = self
        let step = Double.pi / Double(samples.count)
        for frame in samples.indices {
            // The mean of a sine's half period is 2 / π.
            centred.samples[frame] -= Float(offset * .pi / 2 * sin(step * (Double(frame) + 0.5)))
        }
        return centred
    }

    fileprivate func time(of frame: Int) -> Duration { .seconds(Double(frame) / Double(sampleRate)) }
}

/// Matches the phrases of a take with those of a script by their lengths.
///
/// A guess, to help find a mistake in a sound editor. No recording is named by it.
struct TakeAlignment {
    /// A place where take and script differ.
    struct Slip: Equatable {
        /// The index of the phrase of the take that is extra, or before which others are missing. May be one past the
        /// last.
        var found: Int
        /// The index of the expected phrase of the script. May be one past the last.
        var expected: Int
    }

    /// The cost of leaving out a phrase, as a base-2 logarithm of a ratio of lengths. A phrase that is twice as long as
    /// usual is still more likely the phrase itself.
    private static let costOfSlip = 1.5

    /// - Parameters:
    ///   - found: the length of each phrase of the take, above zero, in any unit.
    ///   - expected: the usual length of each phrase of the script, above zero, in any unit.
    /// - Returns: the first place where they differ; `nil` for none.
    static func firstSlip(found: [Double], expected: [Double]) -> Slip? {
        // Relative lengths, so that units do not matter.
        func relative(_ lengths: [Double]) -> [Double] {
            let logarithms = lengths.map { log2(max($0, 1e-6)) }
            let mean = logarithms.reduce(0, +) / Double(max(1, logarithms.count))
            return logarithms.map { $0 - mean }
        }
        let (left, right) = (relative(found), relative(expected))
        // The least cost from each pair of places on, computed from the end.
        let width = right.count + 1
        var costs = [Double](repeating: 0, count: (left.count + 1) * width)
        func cost(_ i: Int, _ j: Int) -> Double { costs[i * width + j] }
        func costOfPair(_ i: Int, _ j: Int) -> Double { abs(left[i] - right[j]) }
        for i in (0...left.count).reversed() {
            for j in (0...right.count).reversed() where i < left.count || j < right.count {
                var least = Double.infinity
                if i < left.count, j < right.count { least = costOfPair(i, j) + cost(i + 1, j + 1) }
                if i < left.count { least = min(least, Self.costOfSlip + cost(i + 1, j)) }
                if j < right.count { least = min(least, Self.costOfSlip + cost(i, j + 1)) }
                costs[i * width + j] = least
            }
        }
        var (i, j) = (0, 0)
        while i < left.count, j < right.count, costOfPair(i, j) + cost(i + 1, j + 1) <= cost(i, j) {
            (i, j) = (i + 1, j + 1)
        }
        return i < left.count || j < right.count ? Slip(found: i, expected: j) : nil
    }
}
