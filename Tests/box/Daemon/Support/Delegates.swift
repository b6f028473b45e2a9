import SoundboxCore
import SoundboxSpeech
import SoundboxSystem
import SoundboxTesting

@testable import SoundboxBox

/// Calls a closure for each of those that a test cares about.
struct IntakeHooks: IntakeDelegate {
    var expected: @Sendable (PaymentNotice) -> Void = { _ in }
    var receipts: @Sendable () -> Void = {}
    var held: @Sendable (CancelTarget) -> Bool = { _ in false }
    var released: @Sendable (CancelTarget, _ isCancelled: Bool) -> Void = { _, _ in }
    var epoch: @Sendable (_ epoch: Int) -> String? = { _ in nil }
    var settings: @Sendable (RemoteSettings) -> String? = { _ in "settings: not taken by this box" }
    var certificate: @Sendable (String) -> String? = { _ in "certificate: this box has asked for none" }
    var performed: @Sendable (Command) -> Void = { _ in }

    func expect(_ notice: PaymentNotice) { expected(notice) }
    func receiptsAreWaiting() { receipts() }
    func hold(_ target: CancelTarget) -> Bool { held(target) }
    func letGo(_ target: CancelTarget, isCancelled: Bool) { released(target, isCancelled) }
    func connectionChanged(to connection: FeedConnection) {}
    func sessionBegan(_ session: FeedSession) {}
    func reconciled(epoch: Int) -> String? { self.epoch(epoch) }
    func apply(_ settings: RemoteSettings) -> String? { self.settings(settings) }
    func apply(certificate: String) -> String? { self.certificate(certificate) }
    func perform(_ command: Command) { performed(command) }
}

struct AnnouncerHooks: AnnouncerDelegate {
    var receipts: @Sendable () -> Void = {}
    var heardPrompt: @Sendable (Prompt) -> Void = { _ in }
    var checks: @Sendable () -> Void = {}

    func receiptsAreWaiting() { receipts() }
    func heard(_ prompt: Prompt) { heardPrompt(prompt) }
    func runPeriodicChecks() { checks() }
}

/// Refuses every text of a notice and every clip, and no word of a command, where a test says nothing else.
struct FakeMessageRules: CustomMessageRules {
    var kinds: [KindName: NewsKind] = [:]
    var text: @Sendable (String) -> String? = { _ in CustomMessageSpeech.textsAreOff }
    var words: @Sendable (String) -> String? = { _ in nil }
    var missing: @Sendable ([String]) -> String? = { _ in nil }

    func problemOfText(_ text: String) -> String? { self.text(text) }
    func problemOfWords(_ words: String) -> String? { self.words(words) }
    func isPrompt(_ text: String) -> Bool { false }
    func missingSegment(_ segments: [String]) -> String? { missing(segments) }
    func problemOfClip(_ clip: ClipReference) -> String? { CustomMessageSpeech.clipsAreOff }
}

struct NoCertificate: CertificateStore {
    /// Whether it is told that every certificate is a new one.
    var takesAll = false
    let spread = 0.0
    func term() throws -> CertificateTerm { throw IdentityError("none") }
    func request() throws -> String { "" }
    func install(_ certificate: String) throws -> Bool { takesAll }
    var isOnTrial: Bool { false }
    func countStart() -> Int { 1 }
    func keep() {}
    func restore(at time: Timestamp, because reason: String) throws {}
    var failure: (time: Timestamp, reason: String)? { nil }
}

struct NoSettings: SettingsStore {
    let record = SettingsRecord(owner: "")
    func problem(with settings: RemoteSettings) -> String? { nil }
    func write(_ record: SettingsRecord) throws {}
    func keep(_ volume: Volume) throws {}
}
