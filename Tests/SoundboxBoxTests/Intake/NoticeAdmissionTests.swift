import SoundboxCore
import Testing

@testable import SoundboxBox

@Suite("What is news")
struct NoticeAdmissionTests {
    private static let now = Timestamp(millisecondsSince1970: 1_795_233_600_000)
    private let admission = NoticeAdmission(window: .seconds(3600), retainedWindow: .seconds(600))

    private func field(
        paidAt: String?, isSigned: Bool, isRetained: Bool, now: Timestamp? = Self.now
    ) throws -> String? {
        let notice = PaymentNotice(
            id: try PaymentID("A-1"), money: try Money("1", .CNY),
            paidAt: try paidAt.map { try #require(Timestamp(rfc3339: $0)) })
        let rejection = admission.rejection(of: notice, isSigned: isSigned, isRetained: isRetained, now: now)
        #expect(rejection == nil || rejection?.id == notice.id)
        return rejection?.field
    }

    @Test(
        "What was signed and paid outside of the window is refused, and so is what does not say when",
        arguments: [
            (nil, "paid_at"), ("2026-11-21T02:59:59Z", "paid_at"), ("2026-11-21T03:00:00Z", nil),
            ("2026-11-21T04:05:01Z", nil), ("2026-12-21T04:00:00Z", nil), ("2041-01-01T00:00:00Z", "paid_at"),
        ] as [(String?, String?)])
    func signed(paidAt: String?, refused: String?) throws {
        #expect(try field(paidAt: paidAt, isSigned: true, isRetained: false) == refused)
        // Without a signature the sender is believed anyway.
        #expect(try field(paidAt: paidAt, isSigned: false, isRetained: false) == nil)
    }

    @Test(
        "A signed notice shows a clock that is behind, or far ahead",
        arguments: [
            ("2026-11-21T04:05:00Z", nil), ("2026-11-21T04:05:01Z", "behind"), ("2026-11-21T03:00:00Z", nil),
            ("2026-11-21T02:59:59Z", "ahead"),
        ] as [(String, String?)])
    func clock(paidAt: String, fault: String?) throws {
        let notice = PaymentNotice(
            id: try PaymentID("A-1"), money: try Money("1", .CNY), paidAt: Timestamp(rfc3339: paidAt))
        let found = admission.clockFault(shownBy: notice, now: Self.now)
        #expect(found?.contains(fault ?? "") ?? (fault == nil), "\(String(describing: found))")
        #expect((found == nil) == (fault == nil))
        #expect(admission.clockFault(shownBy: notice, now: nil) == nil)
    }

    @Test("Without a clock nothing that is signed is too old; it must say when it was paid nevertheless")
    func noClock() throws {
        #expect(try field(paidAt: "2020-01-01T00:00:00Z", isSigned: true, isRetained: false, now: nil) == nil)
        #expect(try field(paidAt: nil, isSigned: true, isRetained: false, now: nil) == "paid_at")
    }

    @Test(
        "A retained notice is news only when it says itself that it was paid just now",
        arguments: [
            (nil, "retain"), ("2026-11-21T03:49:59Z", "retain"), ("2026-11-21T03:50:00Z", nil),
            ("2026-11-21T04:00:00Z", nil), ("2099-01-01T00:00:00Z", "retain"),
        ] as [(String?, String?)])
    func retained(paidAt: String?, refused: String?) throws {
        #expect(try field(paidAt: paidAt, isSigned: false, isRetained: true) == refused)
        #expect(try field(paidAt: paidAt, isSigned: false, isRetained: true, now: nil) == "retain")
        #expect(try field(paidAt: paidAt, isSigned: false, isRetained: false) == nil)
    }
}
