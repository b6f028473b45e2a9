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
    /// The result of ``makeRecordings(progress:)``: file names without `.flac`, in the order of the list.
    public struct Report: Sendable, Equatable {
        /// Written, because they were missing or had other samples.
        public var made: [String] = []
        /// Unchanged, because they have the same samples already.
        public var unchanged: [String] = []
        /// Not touched: a person's recordings, and entries without a `say`, which may be missing.
        public var skipped: [String] = []
        /// Removed: made by an earlier run, and no entry names them now.
        public var removed: [String] = []

        fileprivate var done: Int { made.count + unchanged.count + skipped.count }
    }

    /// The progress of a run.
    public struct Progress: Sendable, Equatable {
        /// The last recording, without `.flac`.
        public let file: String
        public let done: Int
        /// The number of synthesised or computed recordings.
        public let total: Int
    }

    /// Significant bits of each sample. A synthesiser's noise below −78 dBFS is inaudible, and without it FLAC files
    /// are a third smaller: ten voices must fit on a small card. The noise of a neural synthesiser is higher, at −70
    /// dBFS.
    static func resolution(of program: SynthesisSettings.Program?) -> Int {
        switch program {
        case .kokoro: 12
        case .espeakNG, nil: 13
        }
    }

    private let directory: String

    /// - Parameter directory: the voice's folder, with its `voice.yaml`.
    public init(directory: String) {
        self.directory = directory
    }

    /// Speaks every recording that has a `say`, computes the chime, writes files that are missing or differ, and
    /// removes files that the list no longer names.
    ///
    /// One version of the synthesiser on one kind of processor gives the same samples, so a second run changes no file.
    /// A person's file, recognised by ``AudioFile/isSynthesized``, is neither overwritten nor removed, even if its
    /// entry has a `say`.
    /// - Throws: ``YAMLError`` for the list, ``RecordingError`` for the first recording that cannot be made; earlier
    ///   ones stay.
    public func makeRecordings(progress: @escaping @Sendable (Progress) -> Void = { _ in }) async throws -> Report {
        let list = try list()
        let total = list.entries.count { $0.say != nil } + (list.chime == nil ? 0 : 1)
        var report = Report()
        if let settings = list.synthesis { try await Synthesizer(settings).checkVoice(namedIn: "voice.yaml") }
        if let chime = list.chime {
            try keepChime(chime, of: list, in: &report)
            progress(Progress(file: chime, done: report.done, total: total))
        }
        let scratch = try TemporaryFolder()
        let before = report.done
        try await speak(list, into: scratch.path) { file, spoken in
            progress(Progress(file: file, done: before + spoken, total: total))
        }
        for entry in list.entries {
            if let settings = list.synthesis, entry.say != nil {
                let spoken = try Synthesizer(settings).recording(of: entry.file, in: scratch.path)
                let voice = try Resampler.resample(spoken, to: list.sampleRate)
                try keep(voice, loudness: list.loudness, by: settings.program, in: &report)
            } else {
                report.skipped.append(entry.file)
            }
        }
        report.removed = try removeRecordings(notIn: list)
        return report
    }

    /// Speaks everything before anything is written: the synthesiser is started once, and a failure changes no file.
    ///
    /// - Parameter spoke: called with each file, and the number of files so far.
    private func speak(
        _ list: RecordingList, into folder: String, spoke: @escaping @Sendable (String, Int) -> Void
    ) async throws(RecordingError) {
        guard let settings = list.synthesis else { return }
        let phrases = list.entries.compactMap { entry in
            entry.say.map { Synthesizer.Phrase(file: entry.file, say: $0, pace: entry.pace) }
        }
        let count = Atomic(0)
        try await Synthesizer(settings).speak(phrases, into: folder) { file in
            spoke(file, count.wrappingAdd(1, ordering: .relaxed).newValue)
        }
    }

    /// Computes only the chime, unless there is one of a person.
    /// - Throws: see ``makeRecordings(progress:)``.
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

    private func path(of file: String) -> String { "\(directory)/\(file).flac" }

    private func keepChime(_ name: String, of list: RecordingList, in report: inout Report) throws(RecordingError) {
        let bell = Chime.recording(named: name, sampleRate: list.sampleRate)
        try keep(bell, loudness: list.loudness - Chime.distanceBelowSpeech, in: &report)
    }

    /// Processes `raw` and writes it under its name, unless the existing file has the same samples or is a person's.
    private func keep(
        _ raw: Recording, loudness: Double, by program: SynthesisSettings.Program? = nil, in report: inout Report
    ) throws(RecordingError) {
        let trimmed = try SilenceTrimmer().trimmed(raw.removingOffset())
        let finished = try Leveler(target: loudness).leveled(trimmed).rounded(toBits: Self.resolution(of: program))
        let path = path(of: finished.name)
        // An unreadable file is replaced like a missing one.
        let present = try? AudioFile(reading: path)
        if let present, !present.isSynthesized {
            report.skipped.append(finished.name)
        } else if let present, present.recording.sampleRate == finished.sampleRate,
            present.recording.pcm16 == finished.pcm16
        {
            report.unchanged.append(finished.name)
        } else {
            try AudioFile.writeFLAC(finished, to: path, isSynthesized: true)
            report.made.append(finished.name)
        }
    }

    private func removeRecordings(notIn list: RecordingList) throws(RecordingError) -> [String] {
        let named = Set(list.files)
        var removed: [String] = []
        for name in try fileNames(in: directory) {
            // An interrupted run leaves these files.
            if name.hasSuffix(".flac.partial") { try remove("\(directory)/\(name)") }
            guard name.hasSuffix(".flac") else { continue }
            let file = String(name.dropLast(".flac".count))
            guard !named.contains(file), (try? AudioFile(reading: path(of: file)))?.isSynthesized == true else {
                continue
            }
            try remove(path(of: file))
            removed.append(file)
        }
        return removed
    }

    private func remove(_ path: String) throws(RecordingError) {
        guard unlink(path) == 0 else { throw .unwritable(file: path, reason: SystemError.last.description) }
    }
}
