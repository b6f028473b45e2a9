extension ALSACard {
    /// How likely a loudspeaker is connected to a card, the likeliest first.
    ///
    /// A USB card or a sound board on the pins was added on purpose. The headphone socket comes with the board, and the
    /// HDMI outputs exist whether or not a screen is connected.
    enum Kind: Int, Comparable {
        case pluggedIn, soundBoard, socket, screen, imaginary

        static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    /// Judged by the names that Linux drivers give themselves and their cards: sound/usb/card.c; sound/soc/bcm and
    /// sound/soc/intel (`simple-card`, and boards that name themselves); staging/vc04_services/bcm2835-audio;
    /// drivers/gpu/drm/vc4/vc4_hdmi.c; sound/pci/hda; sound/drivers/aloop.c and dummy.c.
    var kind: Kind {
        let words = "\(driver) \(id ?? "") \(description)".lowercased()
        func has(_ parts: String...) -> Bool { parts.contains { words.contains($0) } }
        // The sink of a USB gadget is the computer at the other end of the cable.
        if ["loopback", "dummy"].contains(driver.lowercased()) || has("gadget") { return .imaginary }
        if has("hdmi", "displayport") { return .screen }
        if driver == "USB-Audio" { return .pluggedIn }
        if has("bcm2835", "headphone") { return .socket }
        // A computer's own codec has the socket of the case.
        if driver.lowercased().hasPrefix("hda") { return .socket }
        return .soundBoard
    }

    /// Whether a program made the card, for trials: nobody hears what is played there.
    public var isImaginary: Bool { kind == .imaginary }

    /// The PCM that plays any samples. HDMI needs samples in a format of its own, which alsa-lib's configuration of
    /// these cards produces (cards/vc4-hdmi.conf) and the device itself does not.
    public var playbackName: String {
        guard kind == .screen, let id else { return name }
        return "sysdefault:CARD=\(id)"
    }
}

extension [ALSACard] {
    /// The cards that play, the one most likely to have a speaker attached first. Equal cards keep the kernel's order.
    public var inOrderOfWiring: [ALSACard] {
        enumerated().filter(\.element.canPlay)
            .sorted { ($0.element.kind, $0.offset) < ($1.element.kind, $1.offset) }
            .map(\.element)
    }
}
