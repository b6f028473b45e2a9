/// A volume control of a sound card, as `amixer scontrols` names it.
public struct MixerElement: Sendable, Equatable, CustomStringConvertible {
    /// The name of an ALSA control device: `hw:CARD=Device`, or one that the configuration of alsa-lib defines.
    public var card: String
    /// `Speaker`, `Master`, …
    public var name: String
    /// Tells apart elements of the same name; 0 for the first.
    public var index: Int

    public init(card: String, name: String, index: Int = 0) {
        self.card = card
        self.name = name
        self.index = index
    }

    public var description: String {
        index == 0 ? "mixer element \"\(name)\" of \"\(card)\"" : "mixer element \"\(name)\",\(index) of \"\(card)\""
    }
}
