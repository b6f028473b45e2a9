import Glibc
import SoundboxALSA
import SoundboxCore
import Synchronization

/// A card's mixer in memory, with one element, that fails with any error at any call.
final class ScriptedMixer: MixerDriver, Sendable {
    enum Call: Sendable, CaseIterable { case open, scale, volume, toggle }

    struct Contents: Sendable {
        var element = MixerElement(card: "hw:CARD=Device", name: "Speaker")
        var scale: MixerScale? = .steps(0...255)
        var value = 17
        var isOn = false
        var isOpen = false
        var failures: [Call: Int32] = [:]
        var openings = 0
    }

    private let contents: Mutex<Contents>

    init(scale: MixerScale? = .steps(0...255)) {
        contents = Mutex(Contents(scale: scale))
    }

    var seen: Contents { contents.withLock { $0 } }

    func change(_ body: (inout sending Contents) -> Void) { contents.withLock { body(&$0) } }

    private func perform<Value: Sendable>(
        _ call: Call, _ body: (inout sending Contents) throws(PCMError) -> sending Value
    ) throws(PCMError) -> Value {
        try contents.withLock { contents throws(PCMError) in
            if let code = contents.failures[call] { throw PCMError(code) }
            guard contents.isOpen || call == .open else { throw PCMError(ENODEV) }
            return try body(&contents)
        }
    }

    func open(_ element: MixerElement) throws(PCMError) {
        try perform(.open) { contents throws(PCMError) in
            contents.openings += 1
            guard element == contents.element else {
                throw PCMError(ENOENT, detail: "there is no such element; the card has \"\(contents.element.name)\"")
            }
            contents.isOpen = true
        }
    }

    func close() { contents.withLock { $0.isOpen = false } }

    func scale() throws(PCMError) -> MixerScale? { try perform(.scale) { $0.scale } }

    func setVolume(_ value: Int) throws(PCMError) { try perform(.volume) { $0.value = value } }

    func setSwitch(isOn: Bool) throws(PCMError) { try perform(.toggle) { $0.isOn = isOn } }
}
