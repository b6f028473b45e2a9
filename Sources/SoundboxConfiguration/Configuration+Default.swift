import SoundboxCore
import SoundboxSystem

extension Configuration {
    /// What counts where `soundbox.yaml` says nothing, as far as setup, or a box without a configuration, begins with the
    /// same. The other defaults stand where their keys are read.
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
        public static let currency = Currency.CNY
    }
}
