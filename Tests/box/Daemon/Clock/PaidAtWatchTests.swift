import SoundboxCore
import Testing

@testable import SoundboxBox

@Suite("Live payments that are late by the clock alone")
struct PaidAtWatchTests {
    private var watch = PaidAtWatch()

    /// - Parameters:
    ///   - paidAt: seconds since noon.
    ///   - age: in seconds.
    private mutating func arrive(paidAt: Double, age: Double) {
        let paid = Entries.noon.millisecondsSince1970 + Int64(paidAt * 1000)
        watch.arrived(
            paidAt: Timestamp(millisecondsSince1970: paid),
            at: Timestamp(millisecondsSince1970: paid + Int64(age * 1000)))
    }

    @Test(
        "Three payments of different times that are equally old show a wrong clock, also a second apart",
        arguments: [(3600.0, "about 1 h"), (28_790, "about 8 h"), (1500, "about 25 min")])
    mutating func wrong(age: Double, about: String) {
        for number in 0..<2 {
            arrive(paidAt: Double(number), age: age + Double(number) / 10)
            #expect(watch.fault == nil)
        }
        arrive(paidAt: 2, age: age)
        #expect(watch.fault?.contains(about) == true, "\(watch.fault ?? "none")")
    }

    @Test("Times of whole seconds do not hide it")
    mutating func wholeSeconds() {
        for number in 0..<6 { arrive(paidAt: Double(number * 6), age: 3600 + Double(number % 2)) }
        #expect(watch.fault != nil)
    }

    @Test("It ends with a live payment in time, and with no other one")
    mutating func end() {
        for number in 0..<3 { arrive(paidAt: Double(number), age: 3600) }
        let fault = watch.fault
        #expect(fault != nil)
        arrive(paidAt: 10, age: 7200)
        #expect(watch.fault == fault)
        arrive(paidAt: 20, age: 300)
        #expect(watch.fault == nil)
        for number in 30..<32 { arrive(paidAt: Double(number), age: 3600) }
        #expect(watch.fault == nil)
    }

    @Test("What a provider sends late, all at once, shows nothing, however close together it was paid")
    mutating func drained() {
        for seconds in [0.2, 1, 20, 50, 300] {
            for number in 0..<20 {
                arrive(paidAt: Double(number) * seconds, age: 6600 - Double(number) * (seconds - 0.01))
            }
            #expect(watch.fault == nil, "\(seconds) s")
        }
    }

    @Test("Ages that differ by more than a minute are no row, nor are payments that are five minutes old")
    mutating func noRow() {
        for number in 0..<10 {
            arrive(paidAt: Double(number * 1000), age: 3600 + Double(number * 61))
            #expect(watch.fault == nil)
        }
        for number in 0..<10 { arrive(paidAt: 20_000 + Double(number), age: 300) }
        #expect(watch.fault == nil)
    }
}
