import Logging
import SoundboxAudio
import SoundboxCore
import SoundboxSystem
import SoundboxTesting
import SoundboxVoice

@testable import SoundboxBox

extension BoxContext {
    /// Of a whole box on fakes, whose clock a time server has confirmed. It keeps nothing, and says nothing of the
    /// network.
    static func onFakes(
        feed: any PaymentFeed, inbox: TemporaryInbox, voices: Voices, panel: FakePanel = FakePanel(),
        volume: Volume = Volume(100), output: SoundThread
    ) -> BoxContext {
        var settings = BoxSettings()
        settings.networkPrompts = NetworkPromptSettings(saysNetwork: false, saysReady: false)
        settings.volume.least = Volume(0)
        return BoxContext(
            identity: StatusReporter.Identity(
                deviceID: "box-01", broker: "mqtt://h:1883", voice: "zh-CN", audioDevice: "default"),
            settings: settings,
            notices: NoticeRules(
                reader: .native(PaymentNoticeDecoder(defaultCurrency: .CNY)),
                admission: NoticeAdmission(window: .seconds(600), retainedWindow: .seconds(600))),
            state: BoxState(volume: volume),
            clock: BoxClock(newestKnown: nil) { BoxClock.Signs(now: .now, isSynchronised: true, offset: .zero) },
            feed: feed, inbox: inbox, player: Player(on: output, voices: voices, volume: volume), voices: voices,
            panel: panel, salvage: SalvageWatch(systemd: Systemd { _ in nil }),
            logger: Logger(label: "box") { _ in SwiftLogNoOpLogHandler() }, removeSetup: { .removed })
    }
}
