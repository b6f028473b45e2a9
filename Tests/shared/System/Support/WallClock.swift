import SoundboxCore
import TestSupport

/// What the C library shows on the wall, asked of `date` in a process of its own, which has its own `TZ`.
enum WallClock {
    /// Seconds since 1970-01-01 00:00 on the wall, for each moment.
    static func walls(_ seconds: [Int64], in zone: String) async throws -> [Int64] {
        var walls: [Int64] = []
        for start in stride(from: 0, to: seconds.count, by: 3000) {
            let input = seconds[start..<min(start + 3000, seconds.count)].map { "@\($0)\n" }.joined()
            let child = try ChildProcess(
                ["date", "-f", "-", "+%Y-%m-%dT%H:%M:%SZ"], environment: ["TZ": zone], input: input)
            guard try await child.exitStatus() == 0 else {
                throw TestFailure(try await child.errors.all().joined(separator: "; "))
            }
            for line in try await child.output.all() {
                guard let wall = Timestamp(rfc3339: line) else { throw TestFailure("no time: \(line)") }
                walls.append(wall.millisecondsSince1970 / 1000)
            }
        }
        return walls
    }
}
