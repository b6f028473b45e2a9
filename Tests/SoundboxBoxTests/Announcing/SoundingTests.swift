import SoundboxAudio
import SoundboxCore
import Testing

@testable import SoundboxBox

@Suite("What sounds, for whoever cancels it")
struct SoundingTests {
    private let sounding = Sounding()
    private let payment: CancelTarget
    private let errand: CancelTarget

    init() throws {
        payment = .payment(try PaymentID("1"))
        errand = .errand(try CommandID("1"))
    }

    @Test("Only what sounds ends early, and what comes next does not")
    func target() {
        sounding.begin([payment])
        sounding.hush(errand)
        #expect(!sounding.earlyEnd.isRaised)
        sounding.hush(payment)
        #expect(sounding.earlyEnd.isRaised)
        sounding.end()
        #expect(!sounding.earlyEnd.isRaised)
        // It has ended: nothing else is cut short.
        sounding.hush(payment)
        #expect(!sounding.earlyEnd.isRaised)
    }

    @Test("What was cancelled after the inbox was read does not begin; what is read anew may")
    func beforeItBegins() {
        sounding.forget()
        sounding.hush(errand)
        sounding.begin([payment])
        #expect(!sounding.earlyEnd.isRaised)
        sounding.begin([errand])
        #expect(sounding.earlyEnd.isRaised)
        sounding.end()
        sounding.forget()
        sounding.begin([errand])
        #expect(!sounding.earlyEnd.isRaised)
    }

    @Test("It tells of what waits whether a part of it was heard, until that is over")
    func hasBegun() {
        #expect(!sounding.hush(payment))
        sounding.begin([payment])
        #expect(!sounding.hush(payment), "it was cancelled before")
        sounding.forget()
        sounding.begin([payment])
        sounding.end()
        sounding.begin([errand])
        #expect(sounding.hush(payment), "it broke off")
        sounding.forget([payment])
        #expect(!sounding.hush(payment), "it has ended")
    }

    @Test("However many are cancelled, it remembers a few")
    func bounded() throws {
        for number in 0..<100 { sounding.hush(.errand(try CommandID("\(number)"))) }
        sounding.begin([.errand(try CommandID("35"))])
        #expect(!sounding.earlyEnd.isRaised)
        sounding.begin([.errand(try CommandID("36"))])
        #expect(sounding.earlyEnd.isRaised)
    }
}
