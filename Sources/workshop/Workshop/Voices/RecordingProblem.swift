/// A problem of one recording of a voice.
public struct RecordingProblem: Sendable, Equatable, CustomStringConvertible {
    /// The file name in the voice's folder, with its extension.
    public let file: String
    /// What was found.
    public let problem: String
    /// What was expected instead.
    public let expected: String

    public init(file: String, problem: String, expected: String) {
        self.file = file
        self.problem = problem
        self.expected = expected
    }

    public var description: String { "\(file): \(problem), expected \(expected)" }
}
