import SoundboxBox
import SoundboxCore
import Testing

@Suite("What the box remembers of its session")
struct SessionRecordTests {
    private let early = Timestamp(millisecondsSince1970: 1_000_000)
    private let late = Timestamp(millisecondsSince1970: 2_000_000)

    private func connection(_ isResumed: Bool, _ clientID: String = "box") -> FeedSession {
        FeedSession(clientID: clientID, broker: "mqtt://h:1883", isResumed: isResumed)
    }

    @Test("At the first start nothing can be missing, whatever the broker says", arguments: [true, false])
    func first(isResumed: Bool) {
        let record = SessionRecord.after(connection(isResumed), nil, at: early)
        #expect(record == SessionRecord(epoch: 1, clientID: "box", began: early, hasLoss: false))
    }

    @Test("A session that the broker has kept stays what it was, and so does a loss", arguments: [true, false])
    func resumed(hasLoss: Bool) {
        let known = SessionRecord(epoch: 3, clientID: "box", began: early, hasLoss: hasLoss)
        #expect(SessionRecord.after(connection(true), known, at: late) == known)
    }

    @Test("A new session in place of a known one is a loss with the next number, also right after another loss")
    func lost() {
        let known = SessionRecord(epoch: 3, clientID: "box", began: early, hasLoss: false)
        let lost = SessionRecord.after(connection(false), known, at: late)
        #expect(lost == SessionRecord(epoch: 4, clientID: "box", began: late, hasLoss: true))
        #expect(SessionRecord.after(connection(false), lost, at: late).epoch == 5)
        #expect(lost.fault.contains("epoch 4"))
    }

    @Test("A box with another name has a new session, and has lost nothing", arguments: [true, false])
    func renamed(isResumed: Bool) {
        let known = SessionRecord(epoch: 3, clientID: "box", began: early, hasLoss: true)
        #expect(
            SessionRecord.after(connection(isResumed, "other"), known, at: late)
                == SessionRecord(epoch: 4, clientID: "other", began: late, hasLoss: false))
    }

    @Test("It reads what it writes")
    func json() throws {
        let record = SessionRecord(epoch: 3, clientID: "a\"b", began: early, hasLoss: true)
        #expect(SessionRecord(decoding: try JSONValue(parsing: record.json.bytes)) == record)
    }

    @Test(
        "What is no record is not believed",
        arguments: [
            "{}", "3", #"{"epoch":0,"client":"b","began":"2026-11-21T02:15:00Z","loss":false}"#,
            #"{"epoch":9223372036854775807,"client":"b","began":"2026-11-21T02:15:00Z","loss":false}"#,
            #"{"epoch":1,"client":"b","began":"yesterday","loss":false}"#,
            #"{"epoch":1,"client":"b","began":"2026-11-21T02:15:00Z"}"#,
        ])
    func damaged(text: String) throws {
        #expect(SessionRecord(decoding: try JSONValue(parsing: Array(text.utf8))) == nil)
    }
}
