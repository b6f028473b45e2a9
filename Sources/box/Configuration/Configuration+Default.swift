import SoundboxBox
import SoundboxCore
import SoundboxSystem

extension Configuration {
    /// The defaults of `soundbox.yaml` that setup, or a box without a configuration, also begins with. Other defaults
    /// are where their keys are read.
    public enum Default {
        public static let brokerProtocol = BrokerProtocol.auto
        public static let audioDevice = "default"
        /// 0–100.
        public static let volume = 80
        public static let locale = "zh-CN"
        /// No front panel.
        public static let board = "none"
        public static let boardDirectory = InstalledFolders.board
        public static let stateDirectory = "/var/lib/soundbox"
        public static let controlSocket = "/run/soundbox/control.sock"
        package static let currency = BoxSettings().announcements.currency
    }
}
