import Foundation
import SoundboxBox
import TestSupport
import Testing

@testable import SoundboxCore
@testable import SoundboxMQTT

@Suite("The limits of docs/integration.md are the program's")
struct LimitTableTests {
    private static let limits: [String: [Int]] = [
        "notice": [PaymentNoticeDecoder.maximumPayloadBytes],
        "command": [CommandMessage.maximumPayloadBytes],
        "any message": [Int(Connection.maximumPacketBytes)],
        "`id`": [1, PaymentID.maximumBytes],
        "`channel`": [PaymentNoticeDecoder.maximumChannelBytes],
        "`text`": [CustomMessage.longestText],
        "`segments`": [1, CustomMessage.mostSegments, CustomMessage.longestText],
        "`timeout`": [CustomMessage.ringTimeouts.lowerBound, CustomMessage.ringTimeouts.upperBound].map {
            Int($0.components.seconds)
        },
        "`url`": [ClipReference.longestURL],
        "key": [SigningKey.lengths.lowerBound, SigningKey.lengths.upperBound],
        "rings and sentences that wait": [CustomMessage.mostWaiting],
        "cancels before their target": [CustomMessage.mostCancelledBefore],
        "ids of commands": [CommandID.limit],
    ]

    @Test("Bytes, counts and seconds, row by row")
    func table() throws {
        let page = try String(contentsOfFile: "\(Products.project)/docs/integration.md", encoding: .utf8)
        let section = try #require(page.components(separatedBy: "\n## Limits\n").last)
        var rows: [String: [Int]] = [:]
        for row in section.components(separatedBy: "\n") where row.hasPrefix("| ") {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            // Up to the remark.
            let limit = cells[1].prefix { $0 != ";" && $0 != ":" }
            rows[cells[0]] = limit.matches(of: /[0-9][0-9,]*/).compactMap { Int($0.output.replacing(",", with: "")) }
        }
        for (what, figures) in Self.limits { #expect(rows[what] == figures, "\(what)") }
        #expect(DecimalNumber.maximumWhole == 1_000_000_000_000_000 && DecimalNumber.maximumDecimals == 9)
        #expect(page.contains("\n| `amount` | 10¹⁵, 9 decimals;"))
        #expect(page.contains("\n| `number` | 0 to 10¹⁵ |"))
        #expect(CustomMessage.numbers.upperBound == 1_000_000_000_000_000)
    }
}
