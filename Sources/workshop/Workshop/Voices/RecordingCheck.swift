import Glibc
import SoundboxSystem
import SoundboxVoice

/// Checks that the recordings of a voice fit together:
///
///     for problem in try RecordingCheck(directory: "sounds/zh-CN", list: list).problems() { print(problem) }
///
/// Finds all problems of all files. A problem that makes the others meaningless (no file, no sound) is reported alone.
struct RecordingCheck: Sendable {
    /// dBTP. Speech that peaks at full scale clips in the codec's own filter.
    static let highestPeak = -1.0
    /// In LU around the voice's loudness: the smallest difference between words that a listener notices.
    static let loudnessTolerance = 1.0
    /// How much softer than the voice a chime may be, in LU. It must not be louder.
    static let chimeRange = 10.0
    static let durations: ClosedRange<Duration> = .milliseconds(60) ... .seconds(15)
    /// More silence sounds like hesitation inside a number.
    static let longestLead: Duration = .milliseconds(50)
    static let longestTail: Duration = .milliseconds(120)
    /// dBFS. A recording that starts or ends louder clicks.
    static let highestEdge = -34.0
    /// dBFS. A constant offset clicks where recordings meet, and wastes headroom.
    static let highestOffset = -60.0
    /// The number of consecutive samples at full scale that only clipping causes.
    static let clippedRun = 3
    /// Files that a voice's folder may contain beside recordings.
    static let otherFiles: Set<String> = ["voice.yaml", "README.md", "LICENSE"]

    /// The allowed loudness of a recording, in LUFS.
    static func loudnessWindow(around loudness: Double) -> ClosedRange<Double> {
        loudness - loudnessTolerance...loudness + loudnessTolerance
    }

    /// The recording with its silence cut below the limits, with a reserve for a change of loudness by a decibel. A
    /// recording that is silent by its own level is returned unchanged.
    static func withinMargins(_ recording: Recording) -> Recording {
        let trimmer = SilenceTrimmer(lead: longestLead * 3 / 5, tail: longestTail * 3 / 5)
        guard let sound = trimmer.sound(in: recording) else { return recording }
        let isWithin =
            sound.lowerBound <= recording.frames(in: longestLead)
            && recording.samples.count - sound.upperBound <= recording.frames(in: longestTail)
        return isWithin ? recording : trimmer.cut(recording, around: sound)
    }

    private let directory: String
    private let list: RecordingList

    init(directory: String, list: RecordingList) {
        self.directory = directory
        self.list = list
    }

    /// The problems of the chimes, of the entries in order, of the durations, and of files without an entry. Blocks on
    /// the disk.
    func problems() throws(RecordingError) -> [RecordingProblem] {
        var problems: [RecordingProblem] = []
        var owners: [[Int16]: RecordingEntry] = [:]
        // Each file's name by its samples, as `owners` has the entries.
        var chimes: [[Int16]: String] = [:]
        let chimeWindow = list.loudness - Self.chimeRange...list.loudness
        for file in (list.chime.map { [$0] } ?? []) + Set(list.chimesOfKinds.values).sorted() {
            let (recording, found) = inspect(file, loudness: chimeWindow)
            problems += found
            guard let pcm = recording?.pcm16 else { continue }
            if let chime = list.chime, chimes[pcm] == name(of: chime) {
                problems.append(
                    RecordingProblem(
                        file: name(of: file), problem: "holds the same sound as \(name(of: chime))",
                        expected: "a chime that payments do not have"))
            } else {
                chimes[pcm] = name(of: file)
            }
        }
        let window = Self.loudnessWindow(around: list.loudness)
        var spoken: [DurationCheck.Spoken] = []
        for entry in list.entries {
            let (recording, found) = inspect(entry.file, loudness: window, origin: list.origin(of: entry))
            problems += found
            guard let recording else { continue }
            let pcm = recording.pcm16
            spoken.append(
                .init(file: name(of: entry.file), text: entry.text, seconds: recording.duration / .seconds(1)))
            if let chime = chimes[pcm] {
                problems.append(
                    RecordingProblem(
                        file: name(of: entry.file), problem: "holds the same sound as \(chime)",
                        expected: "\"\(entry.text)\", and a chime without words"))
            } else if let owner = owners[pcm], entry.say == nil || entry.say != owner.say {
                problems.append(
                    RecordingProblem(
                        file: name(of: entry.file), problem: "holds the same sound as \(name(of: owner.file))",
                        expected: "\"\(entry.text)\", which is not said like \"\(owner.text)\""))
            } else {
                owners[pcm] = entry
            }
        }
        return problems + DurationCheck(spoken).problems + (try unnamedFiles())
    }

    /// - Parameter origin: what a synthesised one must have been made from; `nil` if the list does not say.
    private func inspect(
        _ name: String, loudness: ClosedRange<Double>, origin: String? = nil
    ) -> (recording: Recording?, problems: [RecordingProblem]) {
        let file = self.name(of: name)
        let path = path(of: name)
        guard access(path, F_OK) == 0 else {
            return (nil, [RecordingProblem(file: file, problem: "does not exist", expected: "a recording")])
        }
        do {
            let audio = try AudioFile(reading: path)
            var inspection = RecordingInspection(file: file, recording: audio.recording)
            inspection.inspectFormat(of: audio, sampleRate: list.sampleRate)
            inspection.inspectOrigin(of: audio, expected: origin)
            try inspection.inspectSound(loudness: loudness)
            return (audio.recording, inspection.problems)
        } catch {
            let problem = "cannot be used: \(error.reason)"
            return (nil, [RecordingProblem(file: file, problem: problem, expected: "a recording with sound")])
        }
    }

    private func path(of name: String) -> String { RecordingFormat.path(of: "\(directory)/\(name)") }

    /// With the ending of its format.
    private func name(of name: String) -> String { SmallFile.name(of: path(of: name)) }

    private func unnamedFiles() throws(RecordingError) -> [RecordingProblem] {
        let named = Set(list.files)
        let played = Set(list.files.map(name(of:)))
        return try fileNames(in: directory).compactMap { file in
            if played.contains(file) || Self.otherFiles.contains(file) { return nil }
            if let stem = RecordingFormat.stem(of: file), named.contains(stem) {
                return RecordingProblem(
                    file: file, problem: "is not played, since there is \(name(of: stem))", expected: "one of the two")
            }
            return RecordingProblem(
                file: file, problem: "no entry of voice.yaml names it", expected: "an entry, or no file")
        }
    }
}
