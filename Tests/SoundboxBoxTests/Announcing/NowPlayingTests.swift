import SoundboxAudio
import SoundboxCore
import Testing

@testable import SoundboxBox

@Suite("What sounds, for whoever cancels it")
struct NowPlayingTests {
    private let nowPlaying = NowPlaying()
    private let payment: CancelTarget
    private let customMessage: CancelTarget

    init() throws {
        payment = .payment(try PaymentID("1"))
        customMessage = .customMessage(try CommandID("1"))
    }

    @Test("Only what sounds ends early, and what comes next does not")
    func target() {
        nowPlaying.begin([payment])
        nowPlaying.hush(customMessage)
        #expect(!nowPlaying.earlyEnd.isRaised)
        nowPlaying.hush(payment)
        #expect(nowPlaying.earlyEnd.isRaised)
        nowPlaying.end()
        #expect(!nowPlaying.earlyEnd.isRaised)
        // It has ended: nothing else is cut short.
        nowPlaying.hush(payment)
        #expect(!nowPlaying.earlyEnd.isRaised)
    }

    @Test("What was cancelled after the inbox was read does not begin; what is read anew may")
    func beforeItBegins() {
        nowPlaying.forget()
        nowPlaying.hush(customMessage)
        nowPlaying.begin([payment])
        #expect(!nowPlaying.earlyEnd.isRaised)
        nowPlaying.begin([customMessage])
        #expect(nowPlaying.earlyEnd.isRaised)
        nowPlaying.end()
        nowPlaying.forget()
        nowPlaying.begin([customMessage])
        #expect(!nowPlaying.earlyEnd.isRaised)
    }

    @Test("It tells of what waits whether a part of it was heard, until that is over")
    func hasBegun() {
        #expect(!nowPlaying.hush(payment))
        nowPlaying.begin([payment])
        #expect(!nowPlaying.hush(payment), "it was cancelled before")
        nowPlaying.forget()
        nowPlaying.begin([payment])
        nowPlaying.end()
        nowPlaying.begin([customMessage])
        #expect(nowPlaying.hush(payment), "it broke off")
        nowPlaying.forget([payment])
        #expect(!nowPlaying.hush(payment), "it has ended")
    }

    @Test("However many are cancelled, it remembers a few")
    func bounded() throws {
        for number in 0..<100 { nowPlaying.hush(.customMessage(try CommandID("\(number)"))) }
        nowPlaying.begin([.customMessage(try CommandID("35"))])
        #expect(!nowPlaying.earlyEnd.isRaised)
        nowPlaying.begin([.customMessage(try CommandID("36"))])
        #expect(nowPlaying.earlyEnd.isRaised)
    }
}
