import Foundation
import TestSupport
import Testing

@Suite("What the manual says about a broker's queue is what the example does", .timeLimit(.minutes(10)))
struct BrokerManualTests {
    private static func text(_ file: String) throws -> String {
        try String(contentsOfFile: "\(Products.project)/\(file)", encoding: .utf8)
    }

    /// Settings and values, without comments.
    private static func settings(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { line in
            line.prefix { $0 != "#" }.split(separator: " ").joined(separator: " ")
        }.filter { !$0.isEmpty }
    }

    @Test("Every setting that the manual gives is in mosquitto.conf, with the same value")
    func settings() throws {
        let manual = try Self.text("docs/operations.md")
        let section = try #require(manual.components(separatedBy: "\n## The broker's queue\n").dropFirst().first)
        let block = try #require(section.components(separatedBy: "```").dropFirst().first)
        let given = Self.settings(block)
        let example = Self.settings(try Self.text("provisioning/broker/mosquitto.conf"))
        #expect(given.contains { $0.hasPrefix("autosave_interval ") })
        #expect(given.contains("persistence true"))
        for setting in given { #expect(example.contains(setting), "\(setting)") }
    }
}
