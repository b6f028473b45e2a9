import CPostgreSQL
import Glibc
import SoundboxCore
import SoundboxSystem

/// A connection to PostgreSQL, by libpq.
///
///     let connection = try PostgreSQLConnection(address)
///     for row in try connection.query("SELECT number FROM payment WHERE box = $1", [.integer(7)]) {
///         print(row.integer("number") ?? 0)
///     }
///
/// Every method blocks, for ``limit`` at most for each answer. One thread at a time. After
/// ``PostgreSQLError/lost(_:isTemporary:)`` it is of no more use.
final class PostgreSQLConnection {
    private let connection: OpaquePointer
    private var prepared: [String: String] = [:]

    /// How long an answer is waited for: a server that hangs must not hold up what goes without it, nor the watchdog.
    static let limit = Duration.seconds(10)

    init(_ address: PostgreSQLAddress) throws(PostgreSQLError) {
        let options: [PostgreSQLAddress.Option]
        do throws(SecretFileError) { options = try address.parameters() } catch {
            throw .lost("\(error)", isTemporary: false)
        }
        let names = CStrings(options.map(\.name))
        let values = CStrings(options.map(\.value))
        guard let connection = PQconnectdbParams(names.pointers, values.pointers, 0) else {
            throw .lost("out of memory", isTemporary: true)
        }
        guard soundbox_postgresql_is_open(connection) == 1, PQsetnonblocking(connection, 1) == 0 else {
            let reason = String(cString: PQerrorMessage(connection)).firstLine
            PQfinish(connection)
            // A server that takes connections has refused this one.
            throw .lost(
                reason, isTemporary: soundbox_postgresql_answers(names.pointers, values.pointers) == 0)
        }
        soundbox_postgresql_silence(connection)
        self.connection = connection
    }

    deinit { PQfinish(connection) }

    var isOpen: Bool { soundbox_postgresql_is_open(connection) == 1 }

    /// What the server says of a setting such as `server_encoding`.
    func parameter(_ name: String) -> String? { PQparameterStatus(connection, name).map { String(cString: $0) } }

    /// Runs one statement, which is compiled once for each connection.
    @discardableResult
    func query(_ sql: String, _ values: [StoredValue] = []) throws(PostgreSQLError) -> PostgreSQLResult {
        let name: String
        if let known = prepared[sql] {
            name = known
        } else {
            name = "s\(prepared.count)"
            guard PQsendPrepare(connection, name, sql, 0, nil) == 1 else { throw lost() }
            try answer()
            prepared[sql] = name
        }
        let parameters = CStrings(values.map(\.postgreSQL))
        guard
            PQsendQueryPrepared(connection, name, Int32(values.count), parameters.pointers, nil, nil, 0) == 1
        else { throw lost() }
        return try answer()
    }

    /// Runs several statements without parameters, which may be any.
    func execute(_ sql: String) throws(PostgreSQLError) {
        guard PQsendQuery(connection, sql) == 1 else { throw lost() }
        try answer()
    }

    @discardableResult
    private func answer() throws(PostgreSQLError) -> PostgreSQLResult {
        let deadline = Duration.monotonicNow + Self.limit
        while true {
            let left = PQflush(connection)
            guard left >= 0 else { throw lost() }
            if left == 0 { break }
            // It may have to be read from before it reads on.
            try wait(POLLIN | POLLOUT, until: deadline)
            guard PQconsumeInput(connection) == 1 else { throw lost() }
        }
        var last: PostgreSQLResult?
        var failure: PostgreSQLError?
        while true {
            while PQisBusy(connection) == 1 {
                try wait(POLLIN, until: deadline)
                guard PQconsumeInput(connection) == 1 else { throw lost() }
            }
            guard let result = PQgetResult(connection) else { break }
            let rows = PostgreSQLResult(result)
            if soundbox_postgresql_is_well(result) == 1 {
                last = rows
            } else if let state = soundbox_postgresql_state(result) {
                let message =
                    soundbox_postgresql_message(result).map { String(cString: $0) } ?? "it refuses a statement"
                failure = failure ?? .refused(message, state: String(cString: state))
            } else {
                throw lost()
            }
        }
        guard isOpen else { throw lost() }
        if let failure { throw failure }
        guard let last else { throw lost() }
        return last
    }

    private func wait(_ events: Int32, until deadline: Duration) throws(PostgreSQLError) {
        var entry = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
        while true {
            let left = deadline - .monotonicNow
            guard left > .zero else { throw .lost("no answer within \(Self.limit)", isTemporary: true) }
            let count = poll(&entry, 1, left.pollMilliseconds)
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw .lost("\(SystemError.last)", isTemporary: true) }
        }
    }

    private func lost() -> PostgreSQLError {
        let reason = String(cString: PQerrorMessage(connection)).firstLine
        return .lost(reason.isEmpty ? "the connection has ended" : reason, isTemporary: true)
    }
}

/// Why PostgreSQL has not done something.
enum PostgreSQLError: Error, Equatable {
    /// By the server, with SQLSTATE (Appendix A of its manual). The connection stays.
    case refused(String, state: String)
    /// There is no connection. Temporary is what may pass without anybody changing a setting.
    case lost(String, isTemporary: Bool)
    /// What is there is not a gateway's.
    case unusable(String)

    var message: String {
        switch self {
        case .refused(let message, _), .lost(let message, _), .unusable(let message): message
        }
    }

    var isTemporary: Bool {
        switch self {
        case .lost(_, let isTemporary): isTemporary
        // It shuts down, starts, or has too many connections (classes 57P and 53 of SQLSTATE).
        case .refused(_, let state): state.hasPrefix("57P") || state.hasPrefix("53")
        case .unusable: false
        }
    }

    /// Whether the same again may succeed at once: another gateway was faster.
    var isConflict: Bool {
        guard case .refused(_, let state) = self else { return false }
        // A deadlock, a serialization failure, a key that is there already.
        return ["40P01", "40001", "23505"].contains(state)
    }
}

/// The rows of a statement.
final class PostgreSQLResult: Sequence {
    private let result: OpaquePointer
    fileprivate let columns: [String: Int32]

    fileprivate init(_ result: OpaquePointer) {
        self.result = result
        columns = Dictionary(
            (0..<PQnfields(result)).map { (String(cString: PQfname(result, $0)), $0) },
            uniquingKeysWith: { one, _ in one })
    }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }
    var first: PostgreSQLRow? { count == 0 ? nil : PostgreSQLRow(result: self, index: 0) }

    /// How many rows a statement has changed.
    var changed: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    func makeIterator() -> AnyIterator<PostgreSQLRow> {
        var index: Int32 = 0
        return AnyIterator { [self] in
            guard index < PQntuples(result) else { return nil }
            defer { index += 1 }
            return PostgreSQLRow(result: self, index: index)
        }
    }

    fileprivate func value(_ row: Int32, _ column: String) -> String? {
        guard let column = columns[column], PQgetisnull(result, row, column) == 0 else { return nil }
        return PQgetvalue(result, row, column).map { String(cString: $0) }
    }
}

struct PostgreSQLRow: StoredRow {
    fileprivate let result: PostgreSQLResult
    fileprivate let index: Int32

    func anyInteger(_ column: String) -> Int64? { text(column).flatMap { Int64($0) } }
    func text(_ column: String) -> String? { result.value(index, column) }

    /// Of a `bytea`, which is written as `\x` and hexadecimal digits.
    func bytes(_ column: String) -> [UInt8]? {
        text(column).flatMap { [UInt8](hexadecimal: $0.utf8.dropFirst(2)) }
    }
}

extension StoredValue {
    /// As libpq's text format has it.
    var postgreSQL: String? {
        switch self {
        case .integer(let value): value.map { "\($0)" }
        case .text(let value): value.map(Self.storable)
        case .bytes(let value): "\\x\(value.hexadecimal)"
        }
    }

    /// In a JSON document, for `json_to_recordset`.
    var json: JSONValue {
        switch self {
        case .integer(let value): value.map { .integer(Int($0)) } ?? .null
        case .text(let value): value.map { .string(Self.storable($0)) } ?? .null
        case .bytes: .string(postgreSQL ?? "")
        }
    }

    /// PostgreSQL has no text with U+0000: a reason that somebody else has written may have one.
    private static func storable(_ text: String) -> String {
        text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
    }
}

/// A list of C strings that ends with NULL.
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private let count: Int

    init(_ texts: [String?]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() { pointers[index] = text.map { UnsafePointer(strdup($0)) } }
        pointers[count] = nil
    }

    deinit {
        for index in 0..<count { free(UnsafeMutableRawPointer(mutating: pointers[index])) }
        pointers.deallocate()
    }
}
