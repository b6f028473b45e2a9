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
        nowPlaying.hold(customMessage)
        #expect(!nowPlaying.earlyEnd.isRaised)
        nowPlaying.hold(payment)
        #expect(nowPlaying.earlyEnd.isRaised)
        nowPlaying.end()
        #expect(!nowPlaying.earlyEnd.isRaised)
    }

    @Test("What is held does not begin until it is let go, or has ended")
    func held() {
        for end in [nowPlaying.letGo, { nowPlaying.forget([$0]) }] {
            nowPlaying.hold(customMessage)
            nowPlaying.begin([payment])
            #expect(!nowPlaying.earlyEnd.isRaised)
            nowPlaying.begin([customMessage])
            #expect(nowPlaying.earlyEnd.isRaised)
            end(customMessage)
            nowPlaying.begin([customMessage])
            #expect(!nowPlaying.earlyEnd.isRaised)
        }
    }

    @Test("It tells of what waits whether a part of it was heard, until that is over")
    func hasBegun() {
        nowPlaying.begin([payment])
        #expect(!nowPlaying.hold(payment), "nothing was written")
        nowPlaying.noteWritten()
        #expect(nowPlaying.hold(payment), "it sounds")
        nowPlaying.end()
        nowPlaying.begin([customMessage])
        nowPlaying.end()
        #expect(nowPlaying.hold(payment), "it broke off")
        #expect(!nowPlaying.hold(customMessage), "nothing was written of it")
        nowPlaying.forget([payment])
        #expect(!nowPlaying.hold(payment), "it has ended")
    }

    @Test("Several together are ended by no cancel, and each counts as heard")
    func several() {
        nowPlaying.begin([payment, customMessage])
        nowPlaying.noteWritten()
        #expect(nowPlaying.hold(payment))
        #expect(!nowPlaying.earlyEnd.isRaised)
    }
}
