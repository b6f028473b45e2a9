/// What is wrong in a YAML file, and where: `soundbox.yaml:12: broker.urll: unknown key; did you mean "url"?`
public struct YAMLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file's name as the caller gave it.
    public var file: String
    /// Counted from 1; `nil` for the file as a whole.
    public var line: Int?
    /// Dotted path of the key; empty at the top.
    public var key: String
    /// What was expected, in words.
    public var problem: String

    public init(file: String, line: Int?, key: String, problem: String) {
        self.file = file
        self.line = line
        self.key = key
        self.problem = problem
    }

    public var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return key.isEmpty ? "\(place): \(problem)" : "\(place): \(key): \(problem)"
    }
}
