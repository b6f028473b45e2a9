import Glibc
import SoundboxALSA
import SoundboxCore
import Synchronization

/// A card's mixer in memory that fails with any error at any call.
final class ScriptedMixer: MixerDriver, Sendable {
    enum Call: Sendable, CaseIterable { case open, apply }

    struct Contents: Sendable {
        var controls: [MixerControl]
        var failures: [Call: Int32] = [:]
        var openings: [String] = []
        var isOpen = false
    }

    private let contents: Mutex<Contents>

    init(_ controls: [MixerControl]) { contents = Mutex(Contents(controls: controls)) }

    var seen: Contents { contents.withLock { $0 } }

    func change(_ body: (inout sending Contents) -> Void) { contents.withLock { body(&$0) } }

    func open(_ card: String) throws(PCMError) {
        try contents.withLock { contents throws(PCMError) in
            contents.openings.append(card)
            if let code = contents.failures[.open] { throw PCMError(code) }
            contents.isOpen = true
        }
    }

    func close() { contents.withLock { $0.isOpen = false } }

    var controls: [MixerControl] { contents.withLock { $0.isOpen ? $0.controls : [] } }

    func apply(_ change: MixerChange, to control: MixerControl) throws(PCMError) {
        try contents.withLock { contents throws(PCMError) in
            if let code = contents.failures[.apply] { throw PCMError(code) }
            let index = contents.controls.firstIndex { ($0.name, $0.index) == (control.name, control.index) }
            guard contents.isOpen, let index else { throw PCMError(ENOENT) }
            switch change {
            case .switchOn: contents.controls[index].isOn = true
            case .zeroDecibels:
                contents.controls[index].decibels = 0
                contents.controls[index].percent = 100
            case .eightyPercent: contents.controls[index].percent = 80
            }
        }
    }
}
