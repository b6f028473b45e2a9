import Glibc
import SoundboxCore
import SoundboxSystem
import SoundboxVoice
import SoundboxYAML
import Synchronization

/// Makes and checks the recordings of one voice:
///
///     let report = try await VoiceWorkshop(directory: "sounds/zh-CN").makeRecordings()
///     print("\(report.made.count) written")
///
/// For the command line: its calls block on the disk for seconds.
public struct VoiceWorkshop: Sendable {
    /// The result of ``makeRecordings(all:progress:)``: file names without their endings, in the order of the list.
    public struct Report: Sendable, Equatable {
        /// Written, because they were missing, had other samples or did not say what they were made from.
        public var made: [String] = []
        /// Unchanged: not spoken, or spoken with the same samples again.
        public var unchanged: [String] = []
        /// Not touched: a person's recordings, and entries without a `say`, which may be missing.
        public var skipped: [String] = []
        /// Removed: made by an earlier run, and no entry names them now.
        public var removed: [String] = []
    }

    /// The progress of a run.
    public struct Progress: Sendable, Equatable {
        /// The last phrase's recording, without its ending.
        public let file: String
        /// How many phrases are spoken.
        public let done: Int
        /// How many phrases this run speaks.
        public let total: Int
    }

    private let directory: String

    private let masters: String?

    /// - Parameters:
    ///   - directory: the voice's folder, with its `voice.yaml`.
    ///   - masters: an existing folder that gets what is spoken or computed before Opus takes anything away, as FLAC.
    public init(directory: String, masters: String? = nil) {
        self.directory = directory
        self.masters = masters
    }

    /// Speaks what is new or changed, computes the chime, writes files that are missing or differ, and removes files
    /// that the list no longer names.
    ///
    /// Each file says what it was made from (``AudioFile/origin``), so a second run speaks nothing. One version of the
    /// synthesiser on one kind of processor gives the same samples, so a second run with `all` changes no file.
    /// A person's file, recognised by ``AudioFile/isSynthesized``, is neither overwritten nor removed, even if its
    /// entry has a `say`.
    /// - Parameter all: whether to speak every entry that has a `say`, as after a change of the synthesiser.
    /// - Throws: ``YAMLError`` for the list, ``RecordingError`` for the first recording that cannot be made; earlier
    ///   ones stay.
    public func makeRecordings(
        all: Bool = false, progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws -> Report {
        let list = try list()
        let needs = list.entries.map { need(of: $0, in: list, all: all) }
        let spoken = zip(list.entries, needs).filter { $0.1 == .speech }.map(\.0)
        let synthesizer = list.synthesis.map(Synthesizer.init)
        let scratch = try TemporaryFolder()
        // Before anything is written: the synthesiser is started once, and a failure changes no file.
        if !spoken.isEmpty, let synthesizer {
            try await synthesizer.checkVoice(namedIn: "voice.yaml")
            let count = Atomic(0)
            let phrases = spoken.map { Synthesizer.Phrase(file: $0.file, say: $0.say ?? "", pace: $0.pace) }
            try await synthesizer.speak(phrases, into: scratch.path) { file in
                let done = count.wrappingAdd(1, ordering: .relaxed).newValue
                progress(Progress(file: file, done: done, total: phrases.count))
            }
        }
        var report = Report()
        if let chime = list.chime { try keepChime(chime, of: list, in: &report) }
        for (entry, need) in zip(list.entries, needs) {
            switch need {
            case .person: report.skipped.append(entry.file)
            case .nothing: report.unchanged.append(entry.file)
            case .speech:
                guard let synthesizer else { continue }
                let spoken = try synthesizer.recording(of: entry.file, in: scratch.path)
                let voice = try Resampler.resample(spoken, to: list.sampleRate, quality: .best)
                try keep(voice, loudness: list.loudness, from: list.origin(of: entry), in: &report)
            }
        }
        report.removed = try removeRecordings(notIn: list)
        return report
    }

    /// What an entry lacks.
    private enum Need { case speech, person, nothing }

    private func need(of entry: RecordingEntry, in list: RecordingList, all: Bool) -> Need {
        guard let origin = list.origin(of: entry) else { return .person }
        // An unreadable file is replaced like a missing one.
        guard let present = try? AudioFile(reading: path(of: entry.file)) else { return .speech }
        guard present.isSynthesized else { return .person }
        let isCurrent = present.origin == origin && present.format == .written(at: list.sampleRate)
        return all || !isCurrent ? .speech : .nothing
    }

    /// Computes only the chime, unless there is one of a person.
    /// - Throws: see ``makeRecordings(all:progress:)``.
    func makeChime() throws -> Report {
        let list = try list()
        var report = Report()
        if let chime = list.chime { try keepChime(chime, of: list, in: &report) }
        return report
    }

    /// All problems of all recordings; empty for none.
    /// - Throws: ``YAMLError`` if the list cannot be read or names a file or a text twice, ``RecordingError`` if the
    ///   folder cannot be read.
    public func check() throws -> [RecordingProblem] {
        try RecordingCheck(directory: directory, list: list()).problems()
    }

    private func list() throws -> RecordingList {
        try RecordingList(reading: YAMLValue(readingFile: "\(directory)/voice.yaml"))
    }

    private func path(of file: String) -> String { RecordingFormat.path(of: "\(directory)/\(file)") }

    private func keepChime(_ name: String, of list: RecordingList, in report: inout Report) throws(RecordingError) {
        let bell = Chime.recording(named: name, sampleRate: list.sampleRate)
        try keep(bell, loudness: list.loudness - Chime.distanceBelowSpeech, in: &report)
    }

    /// Processes `raw` and writes it under its name, unless the existing file has the same samples and origin or is a
    /// person's.
    private func keep(
        _ raw: Recording, loudness: Double, from origin: String? = nil, in report: inout Report
    ) throws(RecordingError) {
        let trimmed = try SilenceTrimmer().trimmed(raw.removingOffset())
        let finished = try Leveler(target: loudness).leveled(trimmed)
        if let masters {
            try AudioFile.writeFLAC(
                finished, to: "\(masters)/\(finished.name).flac", isSynthesized: true, origin: origin)
        }
        // An unreadable file is replaced like a missing one.
        if let present = try? AudioFile(reading: path(of: finished.name)), !present.isSynthesized {
            report.skipped.append(finished.name)
        } else if try AudioFile.write(
            finished, to: "\(directory)/\(finished.name)", isSynthesized: true, origin: origin,
            accepts: { RecordingInspection.isSound($0, loudness: RecordingCheck.loudnessWindow(around: loudness)) })
        {
            report.made.append(finished.name)
        } else {
            report.unchanged.append(finished.name)
        }
    }

    private func removeRecordings(notIn list: RecordingList) throws(RecordingError) -> [String] {
        let named = Set(list.files)
        var removed: [String] = []
        for name in try fileNames(in: directory) {
            // An interrupted run leaves these files.
            let partial = ".partial"
            if name.hasSuffix(partial), RecordingFormat.stem(of: String(name.dropLast(partial.count))) != nil {
                try remove("\(directory)/\(name)")
            }
            guard let file = RecordingFormat.stem(of: name), !named.contains(file),
                (try? AudioFile(reading: "\(directory)/\(name)"))?.isSynthesized == true
            else {
                continue
            }
            try remove("\(directory)/\(name)")
            removed.append(file)
        }
        return removed
    }

    private func remove(_ path: String) throws(RecordingError) {
        guard unlink(path) == 0 else { throw .unwritable(file: path, reason: SystemError.last.description) }
    }
}

extension RecordingList {
    /// All that decides how an entry sounds but the versions of the programs; `nil` without a `say`.
    func origin(of entry: RecordingEntry) -> String? {
        guard let synthesis, let say = entry.say else { return nil }
        let settings =
            switch synthesis.program {
            case .espeakNG(let speed, let pitch): "speed \(speed), pitch \(pitch)"
            case .kokoro(let phonemes, let speed): "\(phonemes), speed \(speed)"
            }
        return """
            \(synthesis.program.name) \(synthesis.voice), \(settings), pace \(entry.pace), \(sampleRate) Hz, \
            \(loudness) LUFS: \(say)
            """
    }
}

/// The two-tone bell before the speech, computed from these figures.
enum Chime {
    /// How much softer the chime is than the speech, in LU.
    static let distanceBelowSpeech = 4.0

    /// One strike: its base tone in Hz, and its start in seconds.
    private struct Strike {
        var frequency: Double
        var start: Double
    }

    /// One partial of the bell: its ratio to the base tone, its amplitude and its decay.
    private struct Partial {
        var ratio: Double
        var amplitude: Double
        /// Seconds to fall to 1/e.
        var decay: Double
    }

    /// E6 and A6, a rising fourth, in equal temperament.
    private static let strikes = [Strike(frequency: 1318.51, start: 0.01), Strike(frequency: 1760, start: 0.15)]
    /// A small metal bar: octave and twelfth decay faster than the base tone; the twelfth is slightly out of tune, as
    /// in metal.
    private static let partials = [
        Partial(ratio: 1, amplitude: 1, decay: 0.13), Partial(ratio: 2, amplitude: 0.28, decay: 0.07),
        Partial(ratio: 3.01, amplitude: 0.1, decay: 0.035),
    ]
    private static let duration = 0.6
    /// The rise of a strike in seconds, which avoids a click.
    private static let attack = 0.004

    /// The bell, before it is levelled by the caller.
    static func recording(named name: String, sampleRate: Int) -> Recording {
        let count = Int(duration * Double(sampleRate))
        let samples = (0..<count).map { frame -> Float in
            let time = Double(frame) / Double(sampleRate)
            return Float(0.4 * strikes.reduce(0) { $0 + sample(of: $1, at: time - $1.start) })
        }
        return Recording(name: name, sampleRate: sampleRate, samples: samples)
    }

    private static func sample(of strike: Strike, at time: Double) -> Double {
        guard time > 0 else { return 0 }
        return min(1, time / attack)
            * partials.reduce(0) { sum, partial in
                sum + partial.amplitude * exp(-time / partial.decay)
                    * sin(2 * .pi * strike.frequency * partial.ratio * time)
            }
    }
}
