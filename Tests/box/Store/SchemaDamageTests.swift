import Foundation
import GRDB
import SoundboxCore
import Synchronization
import TestSupport
import Testing

@testable import SoundboxStore

@Suite("A flipped bit in the schema is damage, and repeats no payment")
struct SchemaDamageTests {
    private let inbox: DamagedInbox

    init() throws {
        inbox = try DamagedInbox(ended: 30, waiting: 5)
    }

    /// Words of the schema as they stand in the file, and what a bit makes of them.
    static let words = [
        ("'announced'", "'announcee'"),
        ("payment_id TEXT NOT", "payment_if TEXT NOT"),
        ("received_at", "receivee_at"), ("TABLE notice", "TABLE noticd"), ("TABLE waiting", "TABLE vaiting"),
        ("STRICT", "STRYCT"), ("UNIQUE", "UNIQTE"),
    ]

    @Test("It is found at start, whatever word it hits, and everything is saved", arguments: words)
    func word(word: String, damaged: String) throws {
        try inbox.change { bytes in
            let range = bytes.firstRange(of: Array(word.utf8))
            if let range { bytes.replaceSubrange(range, with: Array(damaged.utf8)) }
            #expect(range != nil)
        }
        let opened = try inbox.open()
        #expect(inbox.told.incidents.withLock { $0.count } == 1)
        #expect(try inbox.content(of: opened) == inbox.whole)
        // Each payment once, and then the next.
        for id in inbox.waiting {
            let entry = try #require(try opened.waiting(limit: 1).first)
            #expect(entry.notice.id.key == id)
            #expect(try opened.stillWaiting([entry]) == [entry])
            try opened.markAnnounced(entry, at: inbox.noon)
        }
        #expect(try opened.waiting(limit: 1).isEmpty)
    }

    @Test("Any one bit of the pages that hold the schema: the box takes and ends payments, or it is found")
    func anyBit() throws {
        var random = SeededGenerator(seed: 12)
        for _ in 1...40 {
            try inbox.restore()
            let bit = Int.random(in: 0..<4096 * 8, using: &random)
            try inbox.change { $0[bit / 8] ^= 1 << (bit % 8) }
            let opened = try inbox.open()
            defer { try? opened.queue.close() }
            #expect(try inbox.content(of: opened).waiting == inbox.waiting, "bit \(bit)")
            let entry = try #require(try opened.waiting(limit: 1).first)
            try opened.markAnnounced(entry, at: inbox.noon)
            #expect(try opened.waiting(limit: 1).first?.notice.id.text == inbox.waiting[1], "bit \(bit)")
        }
    }
}
