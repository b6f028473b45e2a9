import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import SoundboxVoice

@testable import SoundboxBox

extension Box.Parts {
    /// Of a whole box on fakes, whose clock a time server has confirmed.
    static func onFakes(
        feed: any PaymentFeed, inbox: TemporaryInbox, voices: Voices, panel: FakePanel = FakePanel(),
        volume: Volume = Volume(100), sink: @escaping @Sendable () -> any AudioSink
    ) -> Box.Parts {
        Box.Parts(
            identity: StatusReporter.Identity(
                deviceID: "box-01", broker: "mqtt://h:1883", voice: "zh-CN", audioDevice: "default"),
            policy: Box.Policy(
                reader: .native(PaymentNoticeDecoder(defaultCurrency: .CNY)),
                admission: NoticeAdmission(window: .seconds(600), retainedWindow: .seconds(600)),
                freshness: FreshnessPolicy(expireAfter: .seconds(600)),
                retention: Retention(keep: .seconds(86_400), maximumBytes: 1 << 20)),
            state: BoxState(volume: volume), feed: feed, inbox: inbox,
            salvage: SalvageWatch(systemd: Systemd { _ in nil }),
            clock: BoxClock(newestKnown: nil) { BoxClock.Signs(now: .now, isSynchronised: true, offset: .zero) },
            output: SoundThread { _ in sink() }, voices: voices, panel: panel, keepVolume: { _ in },
            removeSetup: { .removed }, updateMark: "/nowhere",
            logger: Logger(label: "box") { _ in SwiftLogNoOpLogHandler() })
    }
}
