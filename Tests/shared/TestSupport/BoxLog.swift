/// The payments that a box began to speak, by their ids and in order, as its log tells.
package func announcementsBegun(in log: [String]) -> [String] {
    log.filter { $0.contains(" announcing ") }.compactMap { line in
        line.split(separator: " ").first { $0.hasPrefix("id=") }.map { String($0.dropFirst(3)) }
    }
}
