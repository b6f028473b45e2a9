import SoundboxCore
import SoundboxSystem

/// Serves the history to programs on this machine. The work of each answer is bounded; a client asks again for more.
///
/// Pinned to a thread, because the inbox blocks. Others use that thread between two reads.
actor HistoryRequestHandler {
    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// How many rows are read for one answer.
    static let mostRows = 10_000
    /// How many entries one answer has at most.
    static let mostEntries = 1000

    private let day: ShopDay
    private let state: BoxState

    init(day: ShopDay, state: BoxState, executor: ThreadExecutor) {
        self.day = day
        self.state = state
        self.executor = executor
    }

    /// `entries`, newest first; `next` to pass as `before` of the next request, `null` at the end, where totals end
    /// too; the range `from` and `to`; when days begin (`cut_over`); `unreadable` rows; and how many rows were
    /// `examined`.
    func entries(_ query: HistoryQuery) async throws(ControlRefusal) -> JSONValue {
        try await answer(query) { (filter, calendar) async throws(InboxError) in
            let limit = min(query.limit ?? Self.mostEntries, Self.mostEntries)
            var entries: [JSONValue] = []
            var unreadable: UnreadableRows?
            let sounding = Set(state.snapshot.announcing)
            var (next, examined) = (query.before, 0)
            repeat {
                let page = try day.history.history(filter, before: next, limit: TotalsWalk.pageRows)
                let wanted = page.entries.prefix(limit - entries.count)
                entries += wanted.map { found in
                    var found = found
                    if found.entry.state == .received, sounding.contains(found.entry.sequence) {
                        found.entry.state = .announcing
                    }
                    return found.json(in: calendar.zone)
                }
                examined += page.examined
                if wanted.count < page.entries.count {
                    // The next answer has the rest of this page, and counts its unreadable rows.
                    next = wanted.last?.entry.sequence
                    break
                }
                if let found = page.unreadable { unreadable = unreadable.map { $0 + found } ?? found }
                next = TotalsWalk.isBehind(page, from: filter.from) ? nil : page.next
                await Task.yield()
            } while next != nil && entries.count < limit && examined < Self.mostRows
            return [
                ("entries", .array(entries)), ("next", next.map { .integer($0) } ?? .null),
                ("unreadable", unreadable.json), ("examined", .integer(examined)),
            ]
        }
    }

    /// `part`, which is ``Totals/partJSON`` of the rows read; `next` as in ``entries(_:)``.
    func totals(_ query: HistoryQuery) async throws(ControlRefusal) -> JSONValue {
        try await answer(query) { (filter, _) async throws(InboxError) in
            var walk = TotalsWalk(filter, now: day.clock.reading.believed, before: query.before)
            while !walk.isComplete, walk.examined < Self.mostRows {
                try walk.step(in: day.history)
                await Task.yield()
            }
            return [
                ("part", walk.totals.partJSON),
                ("next", walk.isComplete ? .null : walk.next.map { .integer($0) } ?? .null),
                ("examined", .integer(walk.examined)),
            ]
        }
    }

    /// The notice with this number; `nil` for none.
    func entry(_ sequence: Int64) throws(ControlRefusal) -> InboxEntry? {
        guard sequence < Int64.max else { return nil }
        do throws(InboxError) {
            let page = try day.history.history(HistoryFilter(), before: sequence + 1, limit: 1)
            return page.entries.first.map(\.entry).flatMap { $0.sequence == sequence ? $0 : nil }
        } catch { throw ControlRefusal(.fault, "\(error)") }
    }

    private func answer(
        _ query: HistoryQuery,
        _ body: (HistoryFilter, BusinessCalendar) async throws(InboxError) -> [(name: String, value: JSONValue)]
    ) async throws(ControlRefusal) -> JSONValue {
        guard let calendar = day.calendar() else { throw ControlRefusal(.fault, ShopDay.hasNoZone) }
        let filter = try query.filter(calendar, today: day.today)
        func time(_ time: Timestamp?) -> JSONValue {
            time.map { .string(calendar.zone.description(of: $0)) } ?? .null
        }
        let range: [(name: String, value: JSONValue)] = [
            ("from", time(filter.from)), ("to", time(filter.to)), ("cut_over", .string(calendar.cutOverText)),
        ]
        do throws(InboxError) { return .object(range + (try await body(filter, calendar))) } catch {
            throw ControlRefusal(.fault, "\(error)")
        }
    }
}

extension HistoryRequestHandler: Feature {
    nonisolated var routes: [ControlRoute] {
        [
            ControlRoute(.get, "history", isForPhones: true) { .json(try await self.entries(HistoryQuery($0.query))) },
            ControlRoute(.get, "totals") { .json(try await self.totals(HistoryQuery($0.query))) },
        ]
    }
}

extension UnreadableRows? {
    fileprivate var json: JSONValue {
        map { .object([("count", .integer($0.count)), ("first", .integer($0.first))]) } ?? .null
    }
}
