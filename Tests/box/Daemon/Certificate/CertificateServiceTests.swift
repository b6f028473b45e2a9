import Logging
import SoundboxCore
import SoundboxSystem
import Synchronization
import TestSupport
import Testing

@testable import SoundboxBox

@Suite("A certificate that the box renews", .timeLimit(.minutes(10)))
struct CertificateServiceTests {
    /// What stands for the files.
    private final class Drawer: Sendable {
        struct Content {
            var isOnTrial = false
            var failure: (time: Timestamp, reason: String)?
            var isKept = false
            var starts = 0
            var problem: String?
        }
        let content = Mutex(Content())
    }

    private struct Store: CertificateStore {
        let spread = 0.0
        let current: CertificateTerm
        let drawer: Drawer

        func term() throws -> CertificateTerm { current }
        func request() throws -> String { "CSR" }
        func install(_ certificate: String) throws -> Bool {
            if let problem = drawer.content.withLock({ $0.problem }) { throw IdentityError(problem) }
            return certificate == "new"
        }
        var isOnTrial: Bool { drawer.content.withLock { $0.isOnTrial } }
        func countStart() -> Int {
            drawer.content.withLock { content in
                content.starts += 1
                return content.starts
            }
        }
        func keep() { drawer.content.withLock { ($0.isOnTrial, $0.isKept) = (false, true) } }
        func restore(at time: Timestamp, because reason: String) throws {
            drawer.content.withLock { ($0.isOnTrial, $0.failure) = (false, (time, reason)) }
        }
        var failure: (time: Timestamp, reason: String)? { drawer.content.withLock { $0.failure } }
    }

    private let drawer = Drawer()
    private let state = BoxState(volume: Volume(80))

    /// - Parameter days: what is left of a hundred.
    private func service(days: Int, timeout: Duration = .seconds(3600)) -> CertificateService {
        let now = Timestamp.now.millisecondsSince1970
        let term = CertificateTerm(
            begin: Timestamp(millisecondsSince1970: now + Int64(days - 100) * 86_400_000),
            end: Timestamp(millisecondsSince1970: now + Int64(days) * 86_400_000))
        return CertificateService(
            store: Store(current: term, drawer: drawer),
            state: state, clock: BoxClock(newestKnown: nil),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, executor: ThreadExecutor(name: "files"),
            timeout: timeout)
    }

    private func told(_ service: CertificateService) async -> CertificateStatus? {
        state.update { $0.certificate = nil }
        let running = Task { await service.run() }
        var result: CertificateStatus?
        for await snapshot in state.changes() where snapshot.certificate != nil {
            result = snapshot.certificate
            break
        }
        running.cancel()
        await running.value
        return result
    }

    @Test("It is asked for when a third of its time is left, and not before")
    func due() async throws {
        #expect(await told(service(days: 34))?.request == nil)
        #expect(await told(service(days: 33))?.request == "CSR")
        #expect(state.snapshot.certificateFault == nil)
    }

    @Test("With a tenth of its time left, and no new one, it is a fault")
    func alarm() async throws {
        #expect(await told(service(days: 9))?.request == "CSR")
        #expect(state.snapshot.fault(.certificate)?.contains("no new one has come") == true)
    }

    @Test("A new one ends the box, to be made anew with it; a known one does not, and a bad one is refused")
    func taken() async throws {
        let service = service(days: 30)
        #expect(service.apply("known") == nil)
        drawer.content.withLock { $0.problem = "it is for another key" }
        #expect(service.apply("new") == "certificate: it is for another key")
        drawer.content.withLock { $0.problem = nil }
        #expect(service.apply("new") == nil)
        await service.run()
        #expect(await service.ending == .remade)
    }

    @Test("It is kept once the box is online with it, and nothing is asked for while it is on trial")
    func kept() async throws {
        drawer.content.withLock { $0.isOnTrial = true }
        let service = service(days: 20)
        let running = Task { await service.run() }
        for await snapshot in state.changes() where snapshot.certificate != nil { break }
        #expect(state.snapshot.certificate?.request == nil)
        state.update { $0.connection = .subscribed }
        for await snapshot in state.changes() where snapshot.certificate?.request != nil { break }
        #expect(drawer.content.withLock { $0.isKept })
        running.cancel()
        await running.value
        #expect(await service.ending == nil)
    }

    @Test("Whoever takes the power away again and again gets the one before at the fourth start")
    func starts() async throws {
        drawer.content.withLock { ($0.isOnTrial, $0.starts) = (true, 3) }
        let service = service(days: 20)
        await service.run()
        #expect(await service.ending == .remade)
        #expect(drawer.content.withLock { $0.failure }?.reason.contains("3 times") == true)
    }

    @Test("When the broker does not let the box in, the one before counts again, and the next is asked for a day later")
    func late() async throws {
        drawer.content.withLock { $0.isOnTrial = true }
        let service = service(days: 20, timeout: .milliseconds(10))
        await service.run()
        #expect(await service.ending == .remade)
        let failure = drawer.content.withLock { $0.failure }
        #expect(failure?.reason.contains("was not online") == true)
        let next = await told(self.service(days: 20))
        #expect(next?.request == nil && next?.problem == failure?.reason)
        drawer.content.withLock { content in
            content.failure?.time = Timestamp(
                millisecondsSince1970: Timestamp.now.millisecondsSince1970 - 25 * 3_600_000)
        }
        #expect(await told(self.service(days: 20))?.request == "CSR")
    }
}
