import SoundboxCore
import SoundboxSystem
import SoundboxYAML

/// Reads `<directory>/<name>.yaml`. `board/README.md` describes the format.
///
///     let layout = try BoardFile.read(name: "raspberry-pi-4", in: "/usr/share/soundbox/board")
///     let panel = try GPIOPanel(layout)
///
/// Strict: an unknown key, a line used twice or a line without a chip is an error that names file, line and key.
public enum BoardFile {
    /// The board without any wiring. It needs no file.
    public static let none = "none"

    /// The boards in a directory, sorted by name. Blocks on the disk; empty when there is no such directory.
    public static func names(in directory: String) -> [String] {
        let suffix = ".yaml"
        let files = (try? SmallFile.names(in: directory)) ?? []
        return files.filter { $0.hasSuffix(suffix) && $0 != suffix }.map { String($0.dropLast(suffix.count)) }.sorted()
    }

    /// Reads one board's file. Blocks on the disk.
    public static func read(name: String, in directory: String) throws(YAMLError) -> BoardLayout {
        let path = "\(directory)/\(name).yaml"
        let known = names(in: directory)
        // Only names that the directory lists: a name such as "../x" never leaves it.
        if name == none, !known.contains(name) { return BoardLayout(name: none, description: "Nothing is wired to it") }
        guard known.contains(name) else {
            let choices =
                known.isEmpty ? "this folder holds no boards" : "the boards are \(known.joined(separator: ", "))"
            throw YAMLError(file: path, line: nil, key: "", problem: "there is no such board; \(choices)")
        }
        return try layout(name: name, from: YAMLValue(readingFile: path))
    }

    /// - Parameter text: the file's content.
    public static func parse(_ text: String, name: String) throws(YAMLError) -> BoardLayout {
        try layout(name: name, from: YAMLValue(parsing: text, file: "\(name).yaml"))
    }

    private static func layout(name: String, from value: YAMLValue) throws(YAMLError) -> BoardLayout {
        let top = try value.mapping()
        var layout = BoardLayout(name: name, description: try top.required("description").string())
        if let value = top.optional("speaker") { layout.loudspeaker = try Loudspeaker(reading: value) }
        let pins = top.optional("gpio")
        try top.refuseOtherKeys()
        guard let gpio = try pins?.mapping() else { return layout }

        var lines = LineReader(usualLabels: try gpio.optional("chip").map(labels) ?? [])
        if let value = gpio.optional("led") {
            for value in value.listOrSelf { layout.leds.append(try lines.led(value)) }
        }
        if let value = gpio.optional("vibration") { layout.vibration = try lines.output(value) }
        if let value = gpio.optional("amplifier") { layout.amplifier = try lines.amplifier(value) }
        if let buttons = try gpio.optional("buttons")?.mapping() {
            for button in Button.allCases {
                if let value = buttons.optional(button.rawValue) { layout.buttons[button] = try lines.button(value) }
            }
            try buttons.refuseOtherKeys()
        }
        layout.gestures = try GestureMap(gestures: gpio.optional("gestures"), chords: gpio.optional("chords"))
        try gpio.refuseOtherKeys()
        return layout
    }

    /// One label, or a list of them.
    fileprivate static func labels(_ value: YAMLValue) throws(YAMLError) -> [String] {
        let values = value.listOrSelf
        guard !values.isEmpty else { throw value.error("expected the label of a GPIO chip, or a list of them") }
        var labels: [String] = []
        for value in values { labels.append(try value.nonEmptyString()) }
        return labels
    }
}

/// Reads the lines of one file and detects that two of them are the same.
private struct LineReader {
    /// The chip of each line that names none.
    let usualLabels: [String]
    private var keys: [GPIOLine: String] = [:]

    init(usualLabels: [String]) {
        self.usualLabels = usualLabels
    }

    mutating func output(_ value: YAMLValue) throws(YAMLError) -> OutputLine { try output(value.mapping()) }

    /// An output with a colour, if the light has several.
    mutating func led(_ value: YAMLValue) throws(YAMLError) -> LEDLine {
        let entries = try value.mapping()
        let color = try entries.optional("color")?.choice(of: LEDColor.self).color
        var led = LEDLine(try output(entries))
        if let color { led.color = color }
        return led
    }

    mutating func amplifier(_ value: YAMLValue) throws(YAMLError) -> AmplifierLine {
        let entries = try value.mapping()
        let lead = try entries.optional("lead")?.duration(in: .zero ... .seconds(2))
        let lag = try entries.optional("lag")?.duration(in: .zero ... .seconds(60))
        var amplifier = AmplifierLine(try output(entries))
        if let lead { amplifier.lead = lead }
        if let lag { amplifier.lag = lag }
        return amplifier
    }

    mutating func button(_ value: YAMLValue) throws(YAMLError) -> ButtonLine {
        let entries = try value.mapping()
        let bias = try entries.optional("bias")?.choice(of: ButtonLine.Bias.self)
        let debounce = try entries.optional("debounce")?.duration(in: .zero ... .milliseconds(200))
        let (line, isActiveLow) = try line(of: entries)
        var button = ButtonLine(line: line)
        if let isActiveLow { button.isActiveLow = isActiveLow }
        if let bias { button.bias = bias }
        if let debounce { button.debounce = debounce }
        return button
    }

    private mutating func output(_ entries: YAMLMapping) throws(YAMLError) -> OutputLine {
        let (line, isActiveLow) = try line(of: entries)
        var output = OutputLine(line: line)
        if let isActiveLow { output.isActiveLow = isActiveLow }
        return output
    }

    /// The keys that every line has. Call it last: keys not asked for by then are refused.
    private mutating func line(
        of entries: YAMLMapping
    ) throws(YAMLError) -> (GPIOLine, isActiveLow: Bool?) {
        let (name, offset) = (entries.optional("line"), entries.optional("offset"))
        let chip = entries.optional("chip")
        let isActiveLow = try entries.optional("active_low")?.bool()
        try entries.refuseOtherKeys()
        var references: [(GPIOLine.Reference, YAMLValue)] = []
        if let name { references.append((.name(try name.nonEmptyString()), name)) }
        // The bound is far above any real chip: it only catches slips.
        if let offset { references.append((.offset(try offset.integer(in: 0...65_535)), offset)) }
        guard var (reference, _) = references.first else {
            throw entries.value.error("which line? Give its name (line: GPIO17) or its offset (offset: 17)")
        }
        let labels = try chip.map(BoardFile.labels) ?? usualLabels
        guard !labels.isEmpty else {
            throw entries.value.error("on which chip? Give its label here or under gpio (chip: pinctrl-bcm2835)")
        }
        for (reference, value) in references {
            let line = GPIOLine(chipLabels: labels, reference: reference)
            if let other = keys[line] { throw value.error("\(line) is used by \(other) already") }
            keys[line] = entries.value.key
        }
        if case .name(let name, _) = reference, case .offset(let offset)? = references.last?.0 {
            reference = .name(name, orOffset: offset)
        }
        return (GPIOLine(chipLabels: labels, reference: reference), isActiveLow)
    }
}

/// The colour of one LED, as a board file names it.
private enum LEDColor: String, CaseIterable {
    case any, red, green, blue

    var color: LightColor {
        switch self {
        case .any: .white
        case .red: .red
        case .green: .green
        case .blue: .blue
        }
    }
}

extension YAMLValue {
    /// The values of a list, or this one value.
    fileprivate var listOrSelf: [YAMLValue] { (try? list()) ?? [self] }

    fileprivate func nonEmptyString() throws(YAMLError) -> String {
        let text = try string()
        guard !text.isEmpty else { throw error("expected a name, found nothing") }
        return text
    }
}
