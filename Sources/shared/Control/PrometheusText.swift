import SoundboxCore

/// Prometheus' text format 0.0.4.
///
///     let text = PrometheusText.text(families)
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/
public enum PrometheusText {
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The families in their order, with type and help. Ends with a line feed unless it is empty.
    public static func text(_ families: [MetricFamily]) -> String {
        var text = ""
        for family in families {
            let name = Self.name(family.name)
            if !family.help.isEmpty { text += "# HELP \(name) \(escaped(family.help, quotes: false))\n" }
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            for series in family.series { text += lines(of: series, name) }
        }
        return text
    }

    private static func lines(of series: MetricFamily.Series, _ name: String) -> String {
        switch series.value {
        case .number(let value): return line(name, series.labels, value)
        case .histogram(let histogram):
            var text = ""
            // Each bucket also counts the values of those below it.
            var count = 0
            for (bound, more) in zip(histogram.bounds + [.infinity], histogram.counts) {
                count += more
                text += line(name + "_bucket", series.labels + [.init("le", number(bound))], Double(count))
            }
            return text + line(name + "_sum", series.labels, histogram.sum)
                + line(name + "_count", series.labels, Double(count))
        }
    }

    private static func line(_ name: String, _ labels: [MetricFamily.Label], _ value: Double) -> String {
        let pairs = labels.map { "\(Self.name($0.name, isLabel: true))=\"\(escaped($0.value, quotes: true))\"" }
        return name + (pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}") + " \(number(value))\n"
    }

    /// A line feed would end the line, and a quote the value. In help text quotes need no escape.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Libraries use names like `a.b-c`; characters that a name may not contain become `_`.
    private static func name(_ text: String, isLabel: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "_": result.unicodeScalars.append(scalar)
            case ":" where !isLabel: result += ":"
            case "0"..."9" where !result.isEmpty: result.unicodeScalars.append(scalar)
            default: result += "_"
            }
        }
        return result.isEmpty ? "_" : result
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        // 1e15 and below are exact.
        return value.magnitude < 1e15 && value == value.rounded() ? "\(Int64(value))" : "\(value)"
    }
}
