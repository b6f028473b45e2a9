import SoundboxSystem

/// Why nothing was imported.
public enum ImportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A take has another number of phrases than the script.
    ///
    /// `starts` are the times of the phrases that were found; `slip` is where take and script are likely to differ;
    /// with `betterPause`, the number would match.
    case countDiffers(
        file: String, found: Int, expected: Int, starts: [Duration], slip: Slip?, betterPause: Duration?)
    /// Recordings of a person would be replaced; their files, without their endings.
    case wouldReplace([String])
    /// A file whose name matches no entry.
    case unknownName(String)
    /// Two files for one entry.
    case sameEntry(String, String)
    /// The selection has no entry.
    case nothingToDo

    /// A place in a take.
    public struct Slip: Sendable, Equatable {
        public var time: Duration
        /// The phrase that is expected there; `nil` after the last one.
        public var phrase: String?
    }

    public var description: String {
        switch self {
        case .countDiffers(let file, let found, let expected, let starts, let slip, let betterPause):
            let place =
                if let first = starts.first, let last = starts.last {
                    ", the first at \(first.asTime), the last at \(last.asTime)"
                } else { "" }
            let advice =
                if let betterPause {
                    "--pause \(betterPause.inMilliseconds)ms would find \(expected); listen to the result"
                } else if found < expected {
                    "a longer rest between phrases, or --partial where only the end is missing"
                } else {
                    "one reading of each phrase and no other sound"
                }
            let likely = slip.map { slip in
                let phrase = slip.phrase.map { "where \"\($0)\" is expected" } ?? "behind the last phrase of the script"
                return " They are likely to part at \(slip.time.asTime), \(phrase)."
            }
            return "\(file): found \(found) phrases\(place), the script has \(expected); nothing is written."
                + "\(likely ?? "") Expected \(advice)."
        case .wouldReplace(let files):
            let others = files.count > 1 ? " and \(files.count - 1) others are" : " is"
            return "\(files.first ?? "")\(others) a person's; nothing is written. --replace overwrites them, "
                + "--missing leaves them out."
        case .unknownName(let path):
            return "\(path): no entry of voice.yaml has this file name or text; nothing is written. "
                + "Give one take of the whole script, or files named after entries."
        case .sameEntry(let first, let second):
            return "\(first) and \(second) are both for one entry; nothing is written. Give one of them."
        case .nothingToDo: return "no recording is to be made; nothing is written"
        }
    }
}

extension Duration {
    /// Minutes, seconds and tenths, as in sound editors: 1:05.3.
    public var asTime: String {
        let tenths = Int((self / .milliseconds(100)).rounded())
        let seconds = tenths / 10 % 60
        return "\(tenths / 600):\(seconds < 10 ? "0" : "")\(seconds).\(tenths % 10)"
    }
}
