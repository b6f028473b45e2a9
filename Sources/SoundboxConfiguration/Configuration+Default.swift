import Logging
import SoundboxCore
import SoundboxSystem

extension Configuration {
    /// What counts where `soundbox.yaml` says nothing. Setup, and a box without a configuration, begin with the same.
    public enum Default {
        public static let topicPrefix = Topics.defaultPrefix
        /// For boxes on the mains: a broker that hangs is noticed within 20 s.
        public static let keepAlive = Duration.seconds(10)
        public static let reconnectWindow = Duration.seconds(5)
        public static let brokerProtocol = BrokerProtocol.auto
        /// Longer than a shop is closed.
        public static let sessionExpiry = Duration.seconds(30 * 24 * 3600)
        public static let audioDevice = "default"
        /// 0–100.
        public static let volume = 80
        public static let locale = "zh-CN"
        public static let voiceDirectory = InstalledFolders.sounds
        /// No front panel.
        public static let board = "none"
        public static let boardDirectory = InstalledFolders.board
        public static let mappingDirectory = InstalledFolders.mappings
        public static let stateDirectory = "/var/lib/soundbox"
        public static let controlSocket = "/run/soundbox/control.sock"
        public static let freshness = FreshnessPolicy(expireAfter: .seconds(600), late: .summarise)
        public static let currency = Currency.CNY
        public static let networkPrompts = NetworkWatch.Policy(
            grace: .seconds(30), saysNetwork: true, saysReady: true)
        public static let rings = RingPolicy(second: .wait, payments: .over)
        public static let say = Say(expireAfter: .seconds(300), synthesizer: .espeak)
        public static let excessDecimals = ExcessDecimals.speak
        /// A payer can write the text of a notice.
        public static let saysTexts = false
        public static let retention = Retention(keep: .seconds(90 * 24 * 3600), maximumBytes: 512 << 20)
        public static let logLevel = Logger.Level.info
    }
}
