import Foundation
import SoundboxCore
import SoundboxMQTT
import TestSupport
import Testing

@Suite("What is written about topics is what their declaration says", .timeLimit(.minutes(15)))
struct TopicTableTests {
    private static func lines(of file: String) throws -> [String] {
        try String(contentsOfFile: "\(Products.project)/\(file)", encoding: .utf8).components(separatedBy: "\n")
    }

    /// A row of a table in Markdown, without the bars.
    private static func cells(_ row: String) -> [String] {
        row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test("The access list, line by line")
    func accessList() async throws {
        let script = "\(Products.project)/provisioning/broker/make-acl.sh"
        let child = try ChildProcess([script, "provider"], input: "M1001 box-01\n")
        let lines = try await child.output.all().filter { !$0.isEmpty && !$0.hasPrefix("#") }
        let topics = try Topics(merchant: "M1001", device: "box-01")
        var expected = ["user provider"]
        for topic in Topic.allCases where topic.direction != .withinBox {
            let right = topic.direction == .toBox ? "write" : "read"
            expected.append("topic \(right) \(Topics.defaultPrefix)/+/+/\(topic.rawValue)")
        }
        expected.append("user M1001.box-01")
        for topic in Topic.allCases {
            let right =
                switch topic.direction {
                case .toBox: "read"
                case .fromBox: "write"
                case .withinBox: "readwrite"
                }
            expected.append("topic \(right) \(topics[topic])")
        }
        #expect(lines == expected)
    }

    @Test("What the access list gives, in the broker's README")
    func rights() throws {
        let lines = try Self.lines(of: "provisioning/broker/README.md")
        let first = try #require(lines.firstIndex { $0.hasPrefix("| | payments") })
        let columns: [Topic.Direction] = [.toBox, .fromBox, .withinBox]
        let header = columns.map { direction in
            Topic.allCases.filter { $0.direction == direction }.map(\.rawValue).joined(separator: ", ")
        }
        #expect(Self.cells(lines[first]).dropFirst() == header[...])
        #expect(Self.cells(lines[first + 2]) == ["a box, its own topics", "read", "write", "both"])
        #expect(Self.cells(lines[first + 4]) == ["the provider", "write", "read", "–"])
    }

    @Test("The topics of docs/integration.md: name, direction, whether it is retained, quality of service")
    func documentation() throws {
        let lines = try Self.lines(of: "docs/integration.md")
        let start = "| `\(Topics.defaultPrefix)/{merchant}/{device}/"
        let rows = lines.filter { $0.hasPrefix(start) }.map { Self.cells(String($0.dropFirst(start.count))) }
        let topics = Topic.allCases
        #expect(rows.map { $0[0] } == topics.map { "\($0.rawValue)`" })
        for (row, topic) in zip(rows, topics) {
            #expect(row[1].hasPrefix(topic.direction == .toBox ? "to the box" : "from the box"))
            #expect(row[1].contains("retained") == topic.isRetained)
        }
        #expect(lines.contains { $0.contains("QoS \(Topic.qualityOfService), in MQTT 5 or 3.1.1") })
    }
}
