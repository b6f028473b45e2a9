import SoundboxCore
import Testing

@testable import SoundboxGateway

@Suite("What is known of a box")
struct KnownBoxTests {
    private static let now = Moment.start

    private func status(online: Bool, epoch: Int? = nil, faults: [String]? = nil) -> BoxStatus {
        var status = BoxStatus(isOnline: online, version: "1", voice: nil)
        status.session = epoch.map { SessionStatus(isResumed: true, epoch: $0, began: Self.now.time) }
        status.faults = faults
        return status
    }

    @Test("It wakes its payments when it comes online or has a new session, and not with every status")
    func awakening() {
        var box = KnownBox()
        func wakes(_ status: BoxStatus, after seconds: Int) -> Bool {
            box.apply(status, at: Self.now + .seconds(seconds), reconciles: true)
        }
        #expect(wakes(status(online: true, epoch: 3, faults: []), after: 0))
        #expect(!wakes(status(online: true, epoch: 3), after: 60))
        #expect(box.onlineSince == Self.now.running)
        #expect(!wakes(status(online: false), after: 70))
        #expect(box.onlineSince == nil && box.sessionEpoch == 3)
        #expect(wakes(status(online: true, epoch: 3), after: 80))
        // A status from before it is subscribed in its new session.
        #expect(!wakes(status(online: false, epoch: 4), after: 80))
        #expect(box.reconciling == nil && box.sessionEpoch == 3)
        #expect(wakes(status(online: true, epoch: 4), after: 81))
        #expect(box.reconciling == .init(epoch: 4))
    }

    @Test("It is online for three minutes after a status of this connection")
    func freshness() {
        var box = KnownBox()
        _ = box.apply(status(online: true), at: Self.now, reconciles: false)
        #expect([0, 180, 181].map { box.isOnline(at: .seconds($0)) } == [true, true, false])
        box.connectionLost()
        #expect(!box.isOnline(at: .zero))
        var last = status(online: true)
        last.time = Self.now.time
        for seconds in [1, 100, 200, 300] {
            // The same one again, as a broker keeps it for a box that is gone.
            _ = box.apply(last, at: Self.now + .seconds(seconds), reconciles: false)
        }
        #expect([181, 182].map { box.isOnline(at: .seconds($0)) } == [true, false])
        box.connectionLost()
        let isAwake = box.apply(status(online: true), at: Self.now + .seconds(9), reconciles: false)
        #expect(isAwake && box.onlineSince == .seconds(9))
    }

    @Test("Only the gateway that is named reconciles, and no box whose session is seen for the first time")
    func reconciling() {
        var other = KnownBox()
        _ = other.apply(status(online: true, epoch: 3), at: Self.now, reconciles: false)
        _ = other.apply(status(online: true, epoch: 4), at: Self.now, reconciles: false)
        #expect(other.reconciling == nil)
        var first = KnownBox()
        _ = first.apply(status(online: true, epoch: 9), at: Self.now, reconciles: true)
        #expect(first.reconciling == nil)
    }

    @Test(
        "Names that would be another box's topic or key file are refused",
        arguments: [
            ("a/b", "c"), ("+", "c"), ("#", "c"), ("", "c"), ("..", "c"), (".", "c"), ("M", ".."), ("M", "a\u{0}b"),
            ("M", "a\nb"), (String(repeating: "x", count: 129), "c"),
        ])
    func names(merchant: String, device: String) {
        #expect(throws: BoxIDError.self) { try BoxID(merchant: merchant, device: device) }
    }

    @Test("Names that look alike and have other bytes are two boxes, as at the broker")
    func otherBytes() throws {
        let boxes: Set = [
            try BoxID(merchant: "caf\u{E9}", device: "1"), try BoxID(merchant: "cafe\u{301}", device: "1"),
        ]
        #expect(boxes.count == 2)
    }

    @Test("A topic names its box and its word, or none")
    func topics() throws {
        var word = ""
        let box = try #require(BoxID(topic: "soundbox/v1/M1001/box-01/receipts", &word))
        #expect(box.description == "M1001/box-01" && word == "receipts")
        #expect(box.topic(.payments) == "soundbox/v1/M1001/box-01/payments")
        for topic in [
            "soundbox/v1/M1001/receipts", "soundbox/v2/M1001/box-01/receipts", "a", "soundbox/v1/M/b/c/receipts",
        ] {
            #expect(BoxID(topic: topic, &word) == nil)
        }
    }

    @Test("A box that had payments and no status is as unknown after a restart as it was before")
    func neverSeen() {
        var seen = KnownBox()
        seen.seenAt = Moment.start.time
        let boxes = WatchedBoxes([trialBox: seen, otherBox: KnownBox()])
        #expect(boxes[trialBox] != nil && boxes[otherBox] == nil && boxes.overview.boxes.count == 1)
    }
}
