import SoundboxCore
import Testing

@testable import SoundboxPage

@Suite("Codes that let a phone in")
struct SignInTests {
    private let code = SignInCode("120345")!
    private let other = SignInCode("999999")!

    @Test("The code that was said lets in once")
    func once() {
        var signIn = SignIn()
        signIn.ask(code, at: .zero)
        #expect(signIn.guess("120345", at: .seconds(5)) == .right)
        #expect(signIn.guess("120345", at: .seconds(6)) == .expired)
    }

    @Test("Blanks, and the digits of other scripts, are the same code", arguments: ["120 345", "१२०३४५", "１２０３４５"])
    func spellings(text: String) {
        var signIn = SignIn()
        signIn.ask(code, at: .zero)
        #expect(signIn.guess(text, at: .zero) == .right)
    }

    @Test("Three wrong ones use a code up", arguments: ["", "999999", "12034", "1203455", "abc"])
    func guesses(wrong: String) {
        var signIn = SignIn()
        signIn.ask(code, at: .zero)
        #expect(signIn.guess(wrong, at: .zero) == .wrong(left: 2))
        #expect(signIn.guess(wrong, at: .zero) == .wrong(left: 1))
        #expect(signIn.guess(wrong, at: .zero) == .wrong(left: 0))
        #expect(signIn.guess("120345", at: .zero) == .expired)
    }

    @Test("A code is good for two minutes")
    func end() {
        var signIn = SignIn()
        #expect(signIn.guess("120345", at: .zero) == .expired)
        signIn.ask(code, at: .zero)
        #expect(signIn.guess("120345", at: .seconds(120)) == .expired)
        signIn.ask(code, at: .seconds(200))
        #expect(signIn.guess("120345", at: .seconds(319)) == .right)
    }

    @Test("Codes that nobody uses come further and further apart, up to ten minutes, and a used one ends that")
    func rests() {
        var signIn = SignIn()
        var now = Duration.zero
        var waits: [Duration] = []
        #expect(signIn.wait(at: now) == .zero)
        for _ in 0..<10 {
            signIn.ask(code, at: now)
            waits.append(signIn.wait(at: now))
            now += waits.last ?? .zero
            #expect(signIn.wait(at: now) == .zero)
        }
        #expect(waits.map(\.components.seconds) == [20, 20, 20, 40, 80, 160, 320, 600, 600, 600])
        signIn.ask(code, at: now)
        #expect(signIn.guess("120345", at: now) == .right)
        #expect(signIn.wait(at: now) == .seconds(20))
    }

    @Test("A code that the box refused to say lets nobody in, and makes no later one wait longer")
    func refused() {
        var signIn = SignIn()
        for minute in 0..<20 {
            let now = Duration.seconds(60 * minute)
            #expect(signIn.wait(at: now) == .zero)
            signIn.ask(code, at: now)
            signIn.isRefused(code)
            #expect(signIn.guess("120345", at: now) == .expired)
        }
        #expect(signIn.wait(at: .seconds(60 * 19)) == .seconds(20))
    }

    @Test("A code that the box refused to say leaves the one before good, for as long as that is")
    func refusedAfterOne() {
        var signIn = SignIn()
        signIn.ask(code, at: .zero)
        signIn.ask(other, at: .seconds(60))
        signIn.isRefused(other)
        #expect(signIn.guess("999999", at: .seconds(61)) == .wrong(left: 2))
        var late = signIn
        #expect(signIn.guess("120345", at: .seconds(119)) == .right)
        #expect(late.guess("120345", at: .seconds(120)) == .expired)
    }

    @Test("A code that may be sounding only now is good beside the one that was asked for after it, and no third one")
    func lastTwo() {
        var signIn = SignIn()
        signIn.ask(SignInCode("000000")!, at: .zero)
        signIn.ask(code, at: .seconds(20))
        signIn.ask(other, at: .seconds(60))
        #expect(signIn.guess("000000", at: .seconds(61)) == .wrong(left: 2))
        for text in ["120345", "999999"] {
            // A phone that is in ends both.
            var copy = signIn
            #expect(copy.guess(text, at: .seconds(61)) == .right)
            for text in ["120345", "999999"] { #expect(copy.guess(text, at: .seconds(62)) == .expired) }
        }
        // Each ends in its own time, and wrong guesses count for both.
        #expect(signIn.guess("120345", at: .seconds(140)) == .wrong(left: 1))
        #expect(signIn.guess("111111", at: .seconds(141)) == .wrong(left: 0))
        #expect(signIn.guess("999999", at: .seconds(142)) == .expired)
    }

    @Test("A code has six digits, and no two in a row are likely to be the same")
    func made() {
        let codes = (0..<100).map { _ in SignInCode() }
        #expect(codes.allSatisfy { $0.digits.count == 6 && SignInCode($0.text) == $0 })
        #expect(Set(codes.map(\.text)).count > 90)
        #expect(["", "12345", "1234567", "12345a", "１２３４５６"].compactMap { SignInCode($0) }.isEmpty)
    }
}
