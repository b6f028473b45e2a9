import CALSA
import Glibc
import SoundboxCore
import SoundboxSystem

/// alsa-lib's PCM: owns at most one `snd_pcm_t` and closes it exactly once.
final class ALSAPCM: PCMDriver {
    private var pcm: OpaquePointer?
    /// Parameters being narrowed down; `nil` before the first reset and after they were applied.
    private var hardware: OpaquePointer?
    private var bytesPerFrame = 1

    deinit { close() }

    func open(_ device: String) throws(PCMError) {
        close()
        do {
            try check { snd_pcm_open(&pcm, device, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK) }
        } catch {
            // alsa-lib reads the definitions of a card only once. Reading them again at the next attempt finds a card
            // that was plugged in after the box started.
            snd_config_update_free_global()
            throw error
        }
    }

    func close() {
        releaseHardwareParameters()
        guard let pcm else { return }
        snd_pcm_close(pcm)
        self.pcm = nil
    }

    // MARK: Parameters

    func resetHardwareParameters() throws(PCMError) {
        releaseHardwareParameters()
        try check { snd_pcm_hw_params_malloc(&hardware) }
        try check { snd_pcm_hw_params_any(pcm, hardware) }
        try check { snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED) }
        // The mixer resamples better than alsa-lib's plug. A device that needs resampling still works.
        _ = snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0)
    }

    private func releaseHardwareParameters() {
        guard let hardware else { return }
        snd_pcm_hw_params_free(hardware)
        self.hardware = nil
    }

    func setEncoding(_ encoding: SampleEncoding) throws(PCMError) {
        try check { snd_pcm_hw_params_set_format(pcm, hardware, encoding.alsaFormat) }
    }

    func setChannelCount(_ count: Int) throws(PCMError) {
        try check { snd_pcm_hw_params_set_channels(pcm, hardware, UInt32(count)) }
    }

    func setChannelCount(near count: Int) throws(PCMError) -> Int {
        var value = UInt32(count)
        try check { snd_pcm_hw_params_set_channels_near(pcm, hardware, &value) }
        return Int(value)
    }

    func setSampleRate(near rate: Int) throws(PCMError) -> Int {
        var value = UInt32(rate)
        try check { snd_pcm_hw_params_set_rate_near(pcm, hardware, &value, nil) }
        return Int(value)
    }

    func setPeriod(near frames: Int) throws(PCMError) -> Int {
        var value = snd_pcm_uframes_t(frames)
        try check { snd_pcm_hw_params_set_period_size_near(pcm, hardware, &value, nil) }
        return Int(value)
    }

    func setBuffer(near frames: Int) throws(PCMError) {
        var value = snd_pcm_uframes_t(frames)
        try check { snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &value) }
    }

    func applyHardwareParameters() throws(PCMError) -> (period: Int, buffer: Int) {
        try check { snd_pcm_hw_params(pcm, hardware) }
        var period: snd_pcm_uframes_t = 0
        var buffer: snd_pcm_uframes_t = 0
        try check { snd_pcm_hw_params_get_period_size(hardware, &period, nil) }
        try check { snd_pcm_hw_params_get_buffer_size(hardware, &buffer) }
        releaseHardwareParameters()
        bytesPerFrame = max(1, Int(snd_pcm_frames_to_bytes(pcm, 1)))
        return (Int(period), Int(buffer))
    }

    func applySoftwareParameters(startThreshold: Int) throws(PCMError) {
        var software: OpaquePointer?
        try check { snd_pcm_sw_params_malloc(&software) }
        defer { snd_pcm_sw_params_free(software) }
        try check { snd_pcm_sw_params_current(pcm, software) }
        try check { snd_pcm_sw_params_set_start_threshold(pcm, software, snd_pcm_uframes_t(startThreshold)) }
        // Plugins take nothing when there is less room than this.
        try check { snd_pcm_sw_params_set_avail_min(pcm, software, 1) }
        try check { snd_pcm_sw_params(pcm, software) }
    }

    var isServer: Bool { snd_pcm_type(pcm) == SND_PCM_TYPE_IOPLUG }

    // MARK: The card

    var card: String? {
        var info: OpaquePointer?
        guard snd_pcm_info_malloc(&info) == 0 else { return nil }
        defer { snd_pcm_info_free(info) }
        guard snd_pcm_info(pcm, info) == 0, case let index = snd_pcm_info_get_card(info), index >= 0 else { return nil }
        return ALSACards.card(at: index)?.id
    }

    func hasCard(_ id: String) -> Bool { snd_card_get_index(id) >= 0 }

    // MARK: Playing

    var state: PCMState {
        switch snd_pcm_state(pcm) {
        case SND_PCM_STATE_SETUP: .setup
        case SND_PCM_STATE_PREPARED: .prepared
        case SND_PCM_STATE_RUNNING: .running
        case SND_PCM_STATE_DRAINING: .draining
        case SND_PCM_STATE_XRUN: .xrun
        case SND_PCM_STATE_SUSPENDED: .suspended
        case SND_PCM_STATE_DISCONNECTED: .disconnected
        default: .other
        }
    }

    func prepare() throws(PCMError) { try check { snd_pcm_prepare(pcm) } }
    func start() throws(PCMError) { try check { snd_pcm_start(pcm) } }
    func resume() throws(PCMError) { try check { snd_pcm_resume(pcm) } }
    func drain() throws(PCMError) { try check { snd_pcm_drain(pcm) } }

    func write(_ frames: RawSpan) throws(PCMError) -> Int {
        let count = snd_pcm_uframes_t(frames.byteCount / bytesPerFrame)
        return Int(try check { frames.withUnsafeBytes { snd_pcm_writei(pcm, $0.baseAddress, count) } })
    }

    func delay() throws(PCMError) -> Int {
        var frames: snd_pcm_sframes_t = 0
        try check { snd_pcm_delay(pcm, &frames) }
        return Int(frames)
    }

    // MARK: Time

    var now: Duration { .monotonicNow }

    func sleep(for duration: Duration, unless interruption: Interruption) {
        interruption.sleep(until: .monotonicNow + duration)
    }

    /// Turns alsa-lib's negative result into an error, with the message of this call.
    @discardableResult
    private func check<Result: SignedInteger>(_ call: () -> Result) throws(PCMError) -> Result {
        ALSAMessages.clear()
        let result = call()
        guard result < 0 else { return result }
        throw PCMError(Int32(-result), detail: ALSAMessages.first)
    }
}

extension SampleEncoding {
    fileprivate var alsaFormat: snd_pcm_format_t {
        switch self {
        case .int16: SND_PCM_FORMAT_S16_LE
        case .int24Packed: SND_PCM_FORMAT_S24_3LE
        case .int24: SND_PCM_FORMAT_S24_LE
        case .int32: SND_PCM_FORMAT_S32_LE
        case .float32: SND_PCM_FORMAT_FLOAT_LE
        }
    }
}
