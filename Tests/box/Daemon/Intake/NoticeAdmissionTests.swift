import SoundboxCore
import Testing

@testable import SoundboxBox

@Suite("What is news")
struct NoticeAdmissionTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    private static let confirmed = ClockReading(now)
    /// Known for certain is the day before.
    private static let unconfirmed = ClockReading(
        now, .unconfirmed, earliest: Timestamp(millisecondsSince1970: now.millisecondsSince1970 - 86_400_000))
    private static let unset = ClockReading(Timestamp(millisecondsSince1970: 0), .none)
    private let admission = NoticeAdmission(window: .seconds(3600), retainedWindow: .seconds(600))

    private func notice(_ paidAt: String?) throws -> PaymentNotice {
        PaymentNotice(
            id: try PaymentID("A-1"), money: try Money("1", .CNY),
            paidAt: try paidAt.map { try #require(Timestamp(rfc3339: $0)) })
    }

    private func field(
        paidAt: String?, isSigned: Bool, isRetained: Bool, _ clock: ClockReading = confirmed
    ) throws -> String? {
        let notice = try notice(paidAt)
        let rejection = admission.rejection(of: notice, isSigned: isSigned, isRetained: isRetained, clock)
        #expect(rejection == nil || rejection?.id == notice.id)
        return rejection?.field
    }

    @Test(
        "What was signed and paid outside of the window is refused, and so is what does not say when",
        arguments: [
            (nil, "paid_at"), ("2026-11-21T02:59:59Z", "paid_at"), ("2026-11-21T03:00:00Z", nil),
            ("2026-11-21T04:05:01Z", nil), ("2026-11-22T04:00:00Z", nil), ("2026-11-22T04:00:01Z", "paid_at"),
            ("2041-01-01T00:00:00Z", "paid_at"),
        ] as [(String?, String?)])
    func signed(paidAt: String?, refused: String?) throws {
        #expect(try field(paidAt: paidAt, isSigned: true, isRetained: false) == refused)
        // Without a signature the sender is believed anyway.
        #expect(try field(paidAt: paidAt, isSigned: false, isRetained: false) == nil)
    }

    @Test(
        "A clock that nobody has confirmed refuses only what is too old for certain, and nothing from its future",
        arguments: [
            (nil, "paid_at"), ("2026-11-20T02:59:59Z", "paid_at"), ("2026-11-20T03:00:00Z", nil),
            ("2026-12-21T04:00:00Z", nil), ("2041-01-01T00:00:00Z", "paid_at"),
        ] as [(String?, String?)])
    func unconfirmed(paidAt: String?, refused: String?) throws {
        #expect(try field(paidAt: paidAt, isSigned: true, isRetained: false, Self.unconfirmed) == refused)
    }

    @Test(
        "A signed notice shows a clock that is far ahead, or a provider's that is",
        arguments: [
            ("2026-11-21T04:05:00Z", nil), ("2026-11-21T04:05:01Z", "from the future"), ("2026-11-21T03:00:00Z", nil),
            ("2026-11-21T02:59:59Z", "too old"),
        ] as [(String, String?)])
    func clock(paidAt: String, fault: String?) throws {
        let notice = try notice(paidAt)
        let found = admission.clockFault(shownBy: notice, Self.confirmed)
        #expect(found?.contains(fault ?? "") ?? (fault == nil), "\(String(describing: found))")
        #expect((found == nil) == (fault == nil))
        #expect(admission.clockFault(shownBy: notice, Self.unset) == nil)
        #expect(admission.clockFault(shownBy: notice, Self.unconfirmed) == nil)
    }

    @Test("Without a clock nothing that is signed is too old; it must say when it was paid nevertheless")
    func noClock() throws {
        #expect(try field(paidAt: "2020-01-01T00:00:00Z", isSigned: true, isRetained: false, Self.unset) == nil)
        #expect(try field(paidAt: nil, isSigned: true, isRetained: false, Self.unset) == "paid_at")
    }

    @Test(
        "A retained notice is news only when it says itself that it was paid just now",
        arguments: [
            (nil, "retain"), ("2026-11-21T03:49:59Z", "retain"), ("2026-11-21T03:50:00Z", nil),
            ("2026-11-21T04:00:00Z", nil), ("2099-01-01T00:00:00Z", "retain"),
        ] as [(String?, String?)])
    func retained(paidAt: String?, refused: String?) throws {
        for clock in [Self.confirmed, Self.unconfirmed] {
            #expect(try field(paidAt: paidAt, isSigned: false, isRetained: true, clock) == refused)
        }
        #expect(try field(paidAt: paidAt, isSigned: false, isRetained: true, Self.unset) == "retain")
        #expect(try field(paidAt: paidAt, isSigned: false, isRetained: false) == nil)
    }

    @Test("A retained notice from the future of a clock that nobody has confirmed is news where it is signed")
    func retainedFuture() throws {
        let tomorrow = "2026-11-22T03:00:00Z"
        #expect(try field(paidAt: tomorrow, isSigned: true, isRetained: true, Self.unconfirmed) == nil)
        #expect(try field(paidAt: tomorrow, isSigned: false, isRetained: true, Self.unconfirmed) == "retain")
        #expect(try field(paidAt: tomorrow, isSigned: true, isRetained: true, Self.confirmed) == "retain")
        #expect(try field(paidAt: tomorrow, isSigned: true, isRetained: true, Self.unset) == "retain")
    }
}
