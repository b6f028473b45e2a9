/// The text format 0.0.4 of Prometheus, read more strictly than Prometheus reads it: whatever the format's description
/// forbids or advises against is an error.
package struct Exposition {
    package struct Family {
        package var type: String
        package var help: String?
        /// By name and labels as they stand in the text: `a_bucket{le="1"}`.
        package var samples: [String: Double] = [:]
    }

    package private(set) var families: [String: Family] = [:]

    /// The value of a series as it stands in the text, such as `soundbox_payments_total{state="stored"}`.
    package subscript(series: String) -> Double? {
        families.values.compactMap { $0.samples[series] }.first
    }

    package init(_ text: String) throws {
        guard text.isEmpty || text.hasSuffix("\n") else { throw TestFailure("the last line has no end") }
        var open: String?
        var help: [String: String] = [:]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if let match = line.wholeMatch(of: /# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\]|\\\\|\\n)+)/) {
                let name = String(match.1)
                guard help.updateValue(String(match.2), forKey: name) == nil, families[name] == nil else {
                    throw TestFailure("HELP twice, or behind its family: \(line)")
                }
            } else if let match = line.wholeMatch(of: /# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)/) {
                let name = String(match.1)
                guard families.updateValue(Family(type: String(match.2), help: help[name]), forKey: name) == nil else {
                    throw TestFailure("TYPE twice: \(line)")
                }
                guard (match.2 == "counter") == name.hasSuffix("_total") else {
                    throw TestFailure("a counter ends in _total, and nothing else does: \(line)")
                }
                open = name
            } else {
                try read(line, of: open)
            }
        }
        for (name, family) in families {
            guard !family.samples.isEmpty else { throw TestFailure("\(name) has no series") }
            if family.type == "histogram" { try checkHistogram(name, family) }
        }
    }

    private mutating func read(_ line: Substring, of open: String?) throws {
        let label = #/[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\\\|\\"|\\n)*"/#
        let number = /[+-]Inf|NaN|-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?/
        guard let head = line.prefixMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/), let open else {
            throw TestFailure("no sample: \(line)")
        }
        let suffixes = families[open]?.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { head.0 == open + $0 }) else {
            throw TestFailure("not of the family that is open, \(open): \(line)")
        }
        var rest = line[head.range.upperBound...]
        var labels: Set<Substring> = []
        if rest.first == "{" {
            repeat {
                rest = rest.dropFirst()
                guard let match = rest.prefixMatch(of: label) else { throw TestFailure("no label: \(line)") }
                guard labels.insert(match.0.prefix { $0 != "=" }).inserted else {
                    throw TestFailure("a label twice: \(line)")
                }
                rest = rest[match.range.upperBound...]
            } while rest.first == ","
            guard rest.first == "}" else { throw TestFailure("labels do not end: \(line)") }
            rest = rest.dropFirst()
        }
        let series = String(line[..<rest.startIndex])
        guard rest.first == " ", rest.dropFirst().wholeMatch(of: number) != nil else {
            throw TestFailure("no number: \(line)")
        }
        let text = rest.dropFirst()
        let value = text.hasSuffix("Inf") ? (text.hasPrefix("-") ? -.infinity : .infinity) : Double(text) ?? .nan
        guard families[open]?.samples.updateValue(value, forKey: series) == nil else {
            throw TestFailure("a series twice: \(line)")
        }
    }

    /// For each set of other labels: buckets that rise, `+Inf` as the count says, and a sum.
    private func checkHistogram(_ name: String, _ family: Family) throws {
        var buckets: [String: [(bound: Double, count: Double)]] = [:]
        for (series, value) in family.samples where series.hasPrefix("\(name)_bucket") {
            guard let match = series.firstMatch(of: #/,?le="([^"]*)"/#),
                let bound = match.1 == "+Inf" ? .infinity : Double(match.1)
            else { throw TestFailure("a bucket without le: \(series)") }
            var labels = series.replacingCharacters(of: match.range, by: "").dropFirst("\(name)_bucket".count)
            if labels == "{}" { labels = "" }
            buckets[String(labels), default: []].append((bound, value))
        }
        guard !buckets.isEmpty else { throw TestFailure("\(name) has no bucket") }
        for (labels, buckets) in buckets {
            let counts = buckets.sorted { $0.bound < $1.bound }
            guard counts.last?.bound == .infinity, zip(counts, counts.dropFirst()).allSatisfy({ $0.count <= $1.count }),
                counts.last?.count == family.samples["\(name)_count\(labels)"],
                family.samples["\(name)_sum\(labels)"] != nil
            else { throw TestFailure("\(name)\(labels) does not add up: \(family.samples)") }
        }
    }
}

extension String {
    fileprivate func replacingCharacters(of range: Range<Index>, by text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
