import CGPIOD
import SoundboxCore
import SoundboxSystem

/// Owns one open GPIO chip and closes it once.
///
/// Sendable because libgpiod allows one thread at a time to use an object. The thread that sets up the panel uses the
/// chip, and after that only `deinit` does.
final class GPIOChip: @unchecked Sendable {
    /// `gpioinfo` shows it beside the lines that the box holds.
    private static let consumer = "soundbox"

    let label: String
    private let chip: OpaquePointer

    private init(path: String) throws(SystemError) {
        var chip: OpaquePointer?
        let code = soundbox_gpio_chip_open(path, &chip)
        guard code == 0, let chip else { throw SystemError(code: -code) }
        self.chip = chip
        label = text { soundbox_gpio_chip_label(chip, $0, $1) } ?? ""
    }

    deinit { soundbox_gpio_chip_close(chip) }

    /// Opens the chip with the first of `labels` that is present.
    /// - Parameter directory: where the device files are; `/dev` outside tests.
    static func open(labelled labels: [String], in directory: String) throws(PanelError) -> GPIOChip {
        var present: [GPIOChip] = []
        var problems: [String] = []
        let devices = ((try? SmallFile.names(in: directory)) ?? []).filter { $0.hasPrefix("gpiochip") }.sorted()
        for device in devices {
            let path = "\(directory)/\(device)"
            do { present.append(try GPIOChip(path: path)) } catch { problems.append("cannot open \(path): \(error)") }
        }
        for label in labels {
            if let chip = present.first(where: { $0.label == label }) { return chip }
        }
        if devices.isEmpty { problems.append("there is no \(directory)/gpiochip*") }
        if !present.isEmpty { problems.append("the chips are \(present.map(\.label).joined(separator: ", "))") }
        throw .chipNotFound(label: labels.joined(separator: ", "), reason: problems.joined(separator: "; "))
    }

    /// Requests a line as an output, off at first.
    func requestOutput(_ output: OutputLine) throws(PanelError) -> RequestedLine {
        try request(output.line) { offset, line in
            soundbox_gpio_request_output(chip, offset, Self.consumer, output.isActiveLow, &line)
        }
    }

    /// Requests a line as an input that reports both edges.
    func requestInput(_ button: ButtonLine) throws(PanelError) -> RequestedLine {
        let bias =
            switch button.bias {
            case .asIs: SOUNDBOX_GPIO_BIAS_AS_IS
            case .disabled: SOUNDBOX_GPIO_BIAS_DISABLED
            case .pullUp: SOUNDBOX_GPIO_BIAS_PULL_UP
            case .pullDown: SOUNDBOX_GPIO_BIAS_PULL_DOWN
            }
        return try request(button.line) { offset, line in
            soundbox_gpio_request_input(chip, offset, Self.consumer, button.isActiveLow, bias, &line)
        }
    }

    private func request(
        _ line: GPIOLine, by request: (UInt32, inout OpaquePointer?) -> Int32
    ) throws(PanelError) -> RequestedLine {
        let offset = try offset(of: line)
        var requested: OpaquePointer?
        let code = request(offset, &requested)
        guard code == 0, let requested else {
            throw .lineUnavailable(name: line.description, chip: label, reason: reason(code, offset: offset))
        }
        return RequestedLine(line: requested, chip: self, name: line.description)
    }

    private func offset(of line: GPIOLine) throws(PanelError) -> UInt32 {
        switch line.reference {
        case .offset(let offset): return UInt32(offset)
        case .name(let name, let other):
            let offset = soundbox_gpio_chip_find_line(chip, name)
            if offset >= 0 { return UInt32(offset) }
            // A line with another name is another line.
            guard let other, text({ soundbox_gpio_chip_line_name(chip, UInt32(other), $0, $1) })?.isEmpty == true else {
                throw .lineNotFound(name: name, chip: label)
            }
            return UInt32(other)
        }
    }

    private func reason(_ code: Int32, offset: UInt32) -> String {
        let holder = text { soundbox_gpio_chip_line_consumer(chip, offset, $0, $1) } ?? ""
        let system = SystemError(code: -code).description
        return holder.isEmpty ? system : "\(system) (held by \"\(holder)\")"
    }
}

/// Owns one requested line and releases it once; keeps its chip open.
///
/// Sendable because libgpiod allows one thread at a time to use an object, and the owners ensure that: ``GPIOPanel``
/// keeps its outputs behind a lock, ``ButtonWatch`` its buttons on one thread.
final class RequestedLine: @unchecked Sendable {
    let name: String
    private let line: OpaquePointer
    private let chip: GPIOChip

    fileprivate init(line: OpaquePointer, chip: GPIOChip, name: String) {
        self.line = line
        self.chip = chip
        self.name = name
    }

    deinit { soundbox_gpio_line_release(line) }

    /// For `poll`; the line still owns it.
    func descriptor() throws(PanelError) -> Int32 {
        try checked(soundbox_gpio_line_descriptor(line))
    }

    /// The line's logical level now.
    func isActive() throws(PanelError) -> Bool {
        try checked(soundbox_gpio_line_value(line)) == 1
    }

    func set(_ isActive: Bool) throws(PanelError) {
        _ = try checked(soundbox_gpio_line_set_value(line, isActive))
    }

    /// The edges that the kernel holds, oldest first, at most 16. Blocks while there are none.
    func readEdges() throws(PanelError) -> [(isActive: Bool, time: Duration)] {
        var edges = [soundbox_gpio_edge](repeating: soundbox_gpio_edge(), count: 16)
        let count = try checked(soundbox_gpio_line_read_edges(line, &edges, Int32(edges.count)))
        return edges.prefix(Int(count)).map { ($0.is_active, .nanoseconds($0.time_ns)) }
    }

    private func checked(_ code: Int32) throws(PanelError) -> Int32 {
        guard code >= 0 else { throw .lineFailed(name: name, reason: SystemError(code: -code).description) }
        return code
    }
}

/// The text that a C function writes into a buffer; `nil` when it fails.
private func text(_ copy: (UnsafeMutablePointer<CChar>, Int) -> Int32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
        guard let start = buffer.baseAddress, copy(start, buffer.count) == 0 else { return nil }
        return String(cString: start)
    }
}
