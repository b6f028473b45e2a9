import SoundboxCore
import SoundboxSpeech
import Testing

@testable import SoundboxBox

@Suite("What is said of the network, and when")
struct NetworkWatchTests {
    /// A watch, its time, and what it has said.
    private struct Trial {
        var watch: NetworkWatch
        var now = Duration.zero
        var isQuiet = false
        var said: [NetworkWatch.Action] = []
        /// Whether whatever is said is heard at once.
        var isHeard = true

        init(_ policy: NetworkPromptSettings = .init()) { watch = NetworkWatch(policy, start: .zero) }

        mutating func take(_ actions: [NetworkWatch.Action]) {
            said += actions
            guard isHeard else { return }
            for case .say(let prompt) in actions { hear(prompt) }
        }

        mutating func hear(_ prompt: Prompt) { take(watch.heard(prompt, at: now, isQuiet: isQuiet)) }

        mutating func change(_ isOnline: Bool) {
            take(watch.connectionChanged(isOnline: isOnline, at: now, isQuiet: isQuiet))
        }

        /// Lets time pass, asking whenever the watch wants to be asked.
        mutating func pass(_ time: Duration) {
            let end = now + time
            while let due = watch.nextDue, due <= end {
                #expect(due > now || !isHeard, "it asks to be asked again at once")
                now = max(now, due)
                take(watch.advance(to: now, isQuiet: isQuiet))
                if !isHeard, watch.nextDue == nil { break }
            }
            now = end
        }

        /// - Returns: what was said since the last call.
        mutating func words() -> [Prompt] {
            defer { said = [] }
            return said.compactMap { if case .say(let prompt) = $0 { prompt } else { nil } }
        }
    }

    private func online(_ policy: NetworkPromptSettings = .init()) -> Trial {
        var trial = Trial(policy)
        trial.change(true)
        trial.said = []
        return trial
    }

    @Test("A box that comes online after its start says that it is ready, once")
    func ready() {
        var trial = Trial()
        trial.change(false)
        trial.pass(.seconds(20))
        #expect(trial.words() == [])
        trial.change(true)
        #expect(trial.words() == [.greeting])
        for _ in 1...5 {
            trial.change(false)
            trial.pass(.seconds(5))
            trial.change(true)
            trial.pass(.seconds(600))
        }
        #expect(trial.words() == [])
    }

    @Test("One that does not come online within a minute says so, once, and that it is ready when it is")
    func notReady() {
        var trial = Trial()
        trial.change(false)
        trial.pass(.seconds(59))
        #expect(trial.words() == [])
        trial.pass(.seconds(2))
        #expect(trial.words() == [.networkLost])
        trial.pass(.seconds(86_400))
        #expect(trial.words() == [])
        trial.change(true)
        trial.pass(.seconds(86_400))
        #expect(trial.words() == [.greeting])
    }

    @Test("A loss is said once when it has lasted for the grace, and the return once, when it holds")
    func lostAndFound() {
        var trial = online()
        trial.pass(.seconds(1000))
        trial.change(false)
        trial.pass(.milliseconds(29_999))
        #expect(trial.words() == [])
        trial.pass(.milliseconds(1))
        #expect(trial.words() == [.networkLost])
        trial.pass(.seconds(86_400))
        #expect(trial.words() == [])
        trial.change(true)
        trial.pass(.seconds(9))
        #expect(trial.words() == [])
        trial.pass(.seconds(1))
        #expect(trial.words() == [.networkRestored])
        trial.pass(.seconds(86_400))
        #expect(trial.words() == [])
    }

    @Test("A loss that is shorter than the grace is not spoken of")
    func short() {
        var trial = online()
        for _ in 1...100 {
            trial.change(false)
            trial.pass(.seconds(29))
            trial.change(true)
            trial.pass(.seconds(10))
        }
        #expect(trial.said == [])
    }

    @Test(
        "A loss lasts until a connection has held for ten seconds: it is said though one is made again and again",
        arguments: [Duration.milliseconds(1), .seconds(1), .milliseconds(9_999)])
    func neverHolding(held: Duration) {
        var trial = online()
        trial.pass(.seconds(1000))
        trial.change(false)
        let loss = trial.now
        var saidAt: Duration?
        while trial.now < loss + .seconds(300) {
            trial.pass(.seconds(2))
            if saidAt == nil, trial.said.contains(.say(.networkLost)) { saidAt = trial.now }
            trial.change(true)
            trial.pass(held)
            trial.change(false)
        }
        #expect(trial.words() == [.networkLost])
        #expect(saidAt.map { $0 - loss < .seconds(45) } == true, "\(saidAt.debugDescription)")
        trial.change(true)
        trial.pass(.seconds(60))
        #expect(trial.words() == [.networkRestored])
    }

    @Test("A box whose first connections do not hold says that it is ready, and then that the network is lost")
    func neverHoldingAtFirst() {
        var trial = Trial()
        trial.change(false)
        trial.pass(.seconds(50))
        for _ in 1...20 {
            trial.change(true)
            trial.pass(.milliseconds(5))
            trial.change(false)
            trial.pass(.seconds(2))
        }
        #expect(trial.words() == [.greeting, .networkLost])
    }

    @Test("A brief connection does not take the words for a loss back: they would be asked for again, and said twice")
    func briefWhileAsked() {
        var trial = online()
        trial.isHeard = false
        trial.pass(.seconds(1000))
        trial.change(false)
        trial.pass(.seconds(30))
        for _ in 1...3 {
            trial.change(true)
            trial.pass(.milliseconds(9_999))
            trial.change(false)
            trial.pass(.seconds(2))
        }
        #expect(trial.said == [.say(.networkLost)])
        trial.change(true)
        trial.hear(.networkLost)
        trial.isHeard = true
        trial.pass(.seconds(60))
        #expect(trial.words() == [.networkLost, .networkRestored])
    }

    @Test("Of a loss that nobody has heard of, the return is not told either: the words are taken back")
    func unheard() {
        var trial = online()
        trial.isHeard = false
        trial.change(false)
        trial.pass(.seconds(30))
        // Payments are spoken meanwhile.
        trial.change(true)
        trial.pass(.seconds(600))
        #expect(trial.said == [.say(.networkLost), .withdraw(.networkLost)])
    }

    @Test("Words that were taken back too late count: the return is told then")
    func heardLate() {
        var trial = online()
        trial.isHeard = false
        trial.change(false)
        trial.pass(.seconds(30))
        trial.change(true)
        trial.hear(.networkLost)
        trial.isHeard = true
        trial.pass(.seconds(10))
        #expect(trial.words() == [.networkLost, .networkRestored])
    }

    @Test("A return that does not hold is not told, and the loss is not told twice")
    func brief() {
        var trial = online()
        trial.change(false)
        trial.pass(.seconds(60))
        #expect(trial.words() == [.networkLost])
        for _ in 1...50 {
            trial.change(true)
            trial.pass(.seconds(8))
            trial.change(false)
            trial.pass(.seconds(300))
        }
        #expect(trial.words() == [])
        trial.change(true)
        trial.pass(.seconds(60))
        #expect(trial.words() == [.networkRestored])
    }

    @Test("A network that comes and goes all day is not told of all day", arguments: [40, 90, 300, 1200])
    func flapping(seconds: Int) {
        var trial = online()
        var hours: [Int] = []
        for _ in 0..<24 {
            let end = trial.now + .seconds(3600)
            while trial.now < end {
                trial.change(false)
                trial.pass(.seconds(seconds))
                trial.change(true)
                trial.pass(.seconds(seconds))
            }
            hours.append(trial.words().count)
        }
        // Half an hour at least lies between two losses that are told, once it is clear that they go on.
        #expect(hours[0] <= 12 && hours.dropFirst().allSatisfy { $0 <= 4 }, "\(hours)")
    }

    @Test("After an hour without a loss the first grace counts again")
    func calm() {
        var trial = online()
        func lose(_ time: Int) -> [Prompt] {
            trial.change(false)
            trial.pass(.seconds(time))
            trial.change(true)
            trial.pass(.seconds(60))
            return trial.words()
        }
        #expect(lose(31) == [.networkLost, .networkRestored])
        #expect(lose(31) == [])
        #expect(lose(61) == [.networkLost, .networkRestored])
        trial.pass(.seconds(3600))
        #expect(lose(31) == [.networkLost, .networkRestored])
    }

    @Test("In quiet hours nothing is said; what is still so is said when they end, and \"ready\" is not")
    func quiet() {
        var trial = Trial()
        trial.isQuiet = true
        trial.change(true)
        trial.pass(.seconds(3600))
        trial.change(false)
        trial.pass(.seconds(3600))
        trial.change(true)
        trial.pass(.seconds(3600))
        trial.change(false)
        trial.pass(.seconds(3600))
        #expect(trial.said == [])
        trial.isQuiet = false
        trial.pass(.seconds(60))
        #expect(trial.words() == [.networkLost])
        trial.isQuiet = true
        trial.change(true)
        trial.pass(.seconds(3600))
        #expect(trial.words() == [])
        trial.isQuiet = false
        trial.pass(.seconds(60))
        #expect(trial.words() == [.networkRestored])
    }

    @Test("Each can be switched off")
    func switches() {
        for (saysNetwork, saysReady) in [(true, false), (false, true), (false, false)] {
            var trial = Trial(.init(saysNetwork: saysNetwork, saysReady: saysReady))
            trial.change(false)
            trial.pass(.seconds(120))
            // "Lost" is the other answer to the question whether the box is ready.
            #expect(trial.words() == (saysNetwork || saysReady ? [.networkLost] : []))
            trial.change(true)
            trial.pass(.seconds(120))
            #expect(trial.words() == (saysReady ? [.greeting] : saysNetwork ? [.networkRestored] : []))
            trial.change(false)
            trial.pass(.seconds(120))
            trial.change(true)
            trial.pass(.seconds(120))
            #expect(trial.words() == (saysNetwork ? [.networkLost, .networkRestored] : []))
        }
    }

    @Test("Once the box is being stopped nothing is said, and what waits is taken back")
    func stopped() {
        var trial = online()
        trial.isHeard = false
        trial.change(false)
        trial.pass(.seconds(30))
        #expect(trial.watch.stop() == [.withdraw(.networkLost)])
        trial.said = []
        trial.change(true)
        trial.change(false)
        #expect(trial.watch.nextDue == nil)
        trial.take(trial.watch.advance(to: .seconds(9999), isQuiet: false))
        trial.hear(.networkLost)
        #expect(trial.said == [])
    }
}
