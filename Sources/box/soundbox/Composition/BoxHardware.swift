import Logging
import SoundboxAudio
import SoundboxBox
import SoundboxConfiguration
import SoundboxCore
import SoundboxGPIO
import SoundboxHardware

/// The sound card and the front panel of a box, as configured.
struct BoxHardware {
    let output: SoundThread
    let panel: any Panel
    let gestures: GestureMap

    init(
        _ audio: Configuration.Audio, _ choice: PanelChoice, _ layout: BoardLayout, _ state: BoxState, _ logger: Logger
    ) throws {
        let amplifier: Amplifier?
        if choice == .board {
            let board = BoardPanel(layout) { what, error in
                logger.error("\(what)", metadata: ["reason": "\(error)"])
                state.update { $0.panelFault = "\(what): \(error)" }
            }
            (panel, gestures, amplifier) = (board.panel, layout.gestures, board.amplifier)
        } else {
            (panel, gestures, amplifier) = (try TerminalPanel(), .usual, nil)
        }
        output = SoundThread(closeWhenIdle: audio.timing.closeWhenIdle, isUrgent: true) { scheduling in
            logger.info("sound thread", metadata: ["scheduling": "\(scheduling)"])
        } makeSink: { callTimeout in
            AudioOutputs.sink(
                for: audio.device, fileMode: .append, callTimeout: callTimeout, amplifier: amplifier,
                level: audio.cardLevel
            ) { change in
                logger.notice("sound card", metadata: ["control": "\(change)"])
            } deviceDidChange: { device, gone in
                logger.notice("sound card", metadata: ["chosen": "\(device)"])
                state.update { $0.choose(device, inPlaceOf: gone) }
            }
        }
    }
}
