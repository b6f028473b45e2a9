/// Databases as earlier versions of the program have left them, with a notice in every state: never changed, one added
/// with every migration.
enum ReleasedSchemas {
    /// What was applied, and the statements that make such a file.
    static let all: [(name: String, sql: String)] = [
        ("1: notices and receipts", first), ("2: clock, summaries, damage", second),
        ("3: checksums, waiting payments kept twice, salvage", third), ("4: commands", fourth),
        ("5: confirmed clocks", fifth),
        ("6: how payments were announced, and epochs of receipts", sixth),
        ("7: errands, and words that notices bring", seventh),
        ("8: refunds apart from their payments", eighth),
    ]

    private static let migrations = """
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('1: notices and receipts');
        """

    private static let first = """
        \(migrations)
        CREATE TABLE notice (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            payment_id TEXT NOT NULL UNIQUE,
            amount TEXT NOT NULL,
            currency TEXT NOT NULL,
            kind TEXT NOT NULL,
            channel TEXT,
            paid_at INTEGER,
            received_at INTEGER NOT NULL,
            state TEXT NOT NULL
                CHECK (state IN ('received', 'announcing', 'announced', 'expired', 'cancelled')),
            ended_at INTEGER
        ) STRICT;
        CREATE INDEX notice_waiting ON notice (sequence) WHERE state IN ('received', 'announcing');
        CREATE INDEX notice_announced ON notice (sequence) WHERE state = 'announced';
        CREATE TABLE receipt (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            payment_id TEXT,
            state TEXT NOT NULL,
            at INTEGER NOT NULL,
            reason TEXT
        ) STRICT;
        INSERT INTO notice VALUES
            (3, 'P-announced-1', '1', 'CNY', 'payment', NULL, NULL, 1795233600000, 'announced', 1795233601000),
            (4, 'P-announced-2', '123.45', 'CNY', 'payment', 'alipay', 1795233601000, 1795233602000, 'announced',
             1795233603000),
            (5, 'P-expired', '2.5', 'USD', 'payment', 'wechat', 1795230000000, 1795233604000, 'expired', 1795233605000),
            (6, 'P-cancelled', '7', 'CNY', 'refund', NULL, NULL, 1795233606000, 'cancelled', 1795233607000),
            (7, 'P-announcing', '0.06', 'CNY', 'payment', 'alipay', NULL, 1795233608000, 'announcing', NULL),
            (8, 'P-received', '1005', 'JPY', 'refund', 'unionpay', 1795233609000, 1795233609500, 'received', NULL);
        INSERT INTO receipt VALUES
            (15, 'P-announced-2', 'announced', 1795233603000, NULL),
            (16, NULL, 'rejected', 1795233609000, 'id: missing');
        UPDATE sqlite_sequence SET seq = 11 WHERE name = 'notice';
        UPDATE sqlite_sequence SET seq = 20 WHERE name = 'receipt';
        """

    private static let second = """
        \(migrations)
        INSERT INTO grdb_migrations VALUES ('2: clock, summaries, damage');
        CREATE TABLE notice (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            payment_id TEXT NOT NULL UNIQUE,
            amount TEXT NOT NULL,
            currency TEXT NOT NULL,
            kind TEXT NOT NULL,
            channel TEXT,
            paid_at INTEGER,
            received_at INTEGER NOT NULL,
            state TEXT NOT NULL
                CHECK (state IN ('received', 'announcing', 'announced', 'expired', 'cancelled')),
            ended_at INTEGER
        , clock_was_set INTEGER NOT NULL DEFAULT 1, announced_number INTEGER) STRICT;
        CREATE INDEX notice_waiting ON notice (sequence) WHERE state IN ('received', 'announcing');
        CREATE TABLE receipt (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            payment_id TEXT,
            state TEXT NOT NULL,
            at INTEGER NOT NULL,
            reason TEXT
        , summary TEXT) STRICT;
        CREATE TABLE damaged (
            number INTEGER PRIMARY KEY,
            found_at INTEGER NOT NULL,
            origin TEXT NOT NULL,
            content TEXT NOT NULL
        ) STRICT;
        INSERT INTO notice VALUES
            (3, 'P-announced-1', '1', 'CNY', 'payment', NULL, NULL, 1795233600000, 'announced', 1795233601000, 1, 1),
            (4, 'P-announced-2', '123.45', 'CNY', 'payment', 'alipay', 1795233601000, 1795233602000, 'announced',
             1795233603000, 1, 2),
            (5, 'P-expired', '2.5', 'USD', 'payment', 'wechat', 1795230000000, 1795233604000, 'expired', 1795233605000,
             1, NULL),
            (6, 'P-cancelled', '7', 'CNY', 'refund', NULL, NULL, 1795233606000, 'cancelled', 1795233607000, 1, NULL),
            (7, 'P-announcing', '0.06', 'CNY', 'payment', 'alipay', NULL, 1795233608000, 'announcing', NULL, 1, NULL),
            (8, 'P-received', '1005', 'JPY', 'refund', 'unionpay', 1795233609000, 1795233609500, 'received', NULL, 1,
             NULL);
        INSERT INTO receipt VALUES
            (15, 'P-announced-2', 'announced', 1795233603000, NULL, NULL),
            (16, NULL, 'rejected', 1795233609000, 'id: missing', NULL);
        UPDATE sqlite_sequence SET seq = 11 WHERE name = 'notice';
        UPDATE sqlite_sequence SET seq = 20 WHERE name = 'receipt';
        INSERT INTO damaged VALUES (1, 1795233600000, 'notice', 'sequence=2 amount=?');
        """

    private static let third = """
        \(migrations)
        INSERT INTO grdb_migrations VALUES ('2: clock, summaries, damage');
        INSERT INTO grdb_migrations VALUES ('3: checksums, waiting payments kept twice, salvage');
        CREATE TABLE notice (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            payment_id TEXT NOT NULL UNIQUE,
            amount TEXT NOT NULL,
            currency TEXT NOT NULL,
            kind TEXT NOT NULL,
            channel TEXT,
            paid_at INTEGER,
            received_at INTEGER NOT NULL,
            state TEXT NOT NULL
                CHECK (state IN ('received', 'announcing', 'announced', 'expired', 'cancelled')),
            ended_at INTEGER
        , clock_was_set INTEGER NOT NULL DEFAULT 1, announced_number INTEGER, checksum INTEGER) STRICT;
        CREATE TABLE receipt (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            payment_id TEXT,
            state TEXT NOT NULL,
            at INTEGER NOT NULL,
            reason TEXT
        , summary TEXT, command TEXT, checksum INTEGER) STRICT;
        CREATE TABLE damaged (
            number INTEGER PRIMARY KEY,
            found_at INTEGER NOT NULL,
            origin TEXT NOT NULL,
            content TEXT NOT NULL
        ) STRICT;
        CREATE TABLE waiting (
            sequence INTEGER PRIMARY KEY,
            payment_id TEXT NOT NULL,
            amount TEXT NOT NULL,
            currency TEXT NOT NULL,
            kind TEXT NOT NULL,
            channel TEXT,
            paid_at INTEGER,
            received_at INTEGER NOT NULL,
            state TEXT NOT NULL,
            ended_at INTEGER,
            clock_was_set INTEGER NOT NULL,
            announced_number INTEGER,
            checksum INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE known (
            sequence INTEGER PRIMARY KEY,
            payment_id TEXT NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE salvage (
            number INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            source TEXT NOT NULL,
            reason TEXT NOT NULL,
            waiting INTEGER NOT NULL,
            last_ended INTEGER NOT NULL,
            waiting_is_whole INTEGER NOT NULL,
            next_page INTEGER,
            notices INTEGER NOT NULL DEFAULT 0,
            ids INTEGER NOT NULL DEFAULT 0,
            was_told INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        INSERT INTO notice VALUES
            (3, 'P-announced-1', '1', 'CNY', 'payment', NULL, NULL, 1795233600000, 'announced', 1795233601000,
             1, 1, 2177322003),
            (4, 'P-announced-2', '123.45', 'CNY', 'payment', 'alipay', 1795233601000, 1795233602000,
             'announced', 1795233603000, 1, 2, 1985810574),
            (5, 'P-expired', '2.5', 'USD', 'payment', 'wechat', 1795230000000, 1795233604000, 'expired',
             1795233605000, 1, NULL, 590962759),
            (6, 'P-cancelled', '7', 'CNY', 'refund', NULL, NULL, 1795233606000, 'cancelled', 1795233607000, 1,
             NULL, 3355393571),
            (7, 'P-announcing', '0.06', 'CNY', 'payment', 'alipay', NULL, 1795233608000, 'received', NULL, 1,
             NULL, 1768490516),
            (8, 'P-received', '1005', 'JPY', 'refund', 'unionpay', 1795233609000, 1795233609500, 'received',
             NULL, 1, NULL, 3944428488);
        INSERT INTO waiting VALUES
            (7, 'P-announcing', '0.06', 'CNY', 'payment', 'alipay', NULL, 1795233608000, 'announcing', NULL, 1,
             NULL, 1240795741),
            (8, 'P-received', '1005', 'JPY', 'refund', 'unionpay', 1795233609000, 1795233609500, 'received',
             NULL, 1, NULL, 4293731222);
        INSERT INTO receipt VALUES
            (15, 'P-announced-2', 'announced', 1795233603000, NULL, NULL, NULL, 3701496032),
            (16, NULL, 'rejected', 1795233609000, 'id: missing', NULL, NULL, 2050307250);
        UPDATE sqlite_sequence SET seq = 11 WHERE name = 'notice';
        UPDATE sqlite_sequence SET seq = 20 WHERE name = 'receipt';
        INSERT INTO damaged VALUES (1, 1795233600000, 'notice', 'sequence=2 amount=?');
        """

    private static let fourth = """
        \(third)
        INSERT INTO grdb_migrations VALUES ('4: commands');
        CREATE TABLE command (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            expiry INTEGER NOT NULL
        ) STRICT;
        INSERT INTO command VALUES (1, 'C-1', 1795320000000);
        """

    private static let fifth = """
        \(fourth)
        INSERT INTO grdb_migrations VALUES ('5: confirmed clocks');
        """

    private static let sixth = """
        \(fifth)
        INSERT INTO grdb_migrations VALUES ('6: how payments were announced, and epochs of receipts');
        ALTER TABLE receipt ADD COLUMN epoch TEXT;
        ALTER TABLE receipt ADD COLUMN how TEXT;
        """

    private static let seventh = """
        \(sixth)
        INSERT INTO grdb_migrations VALUES ('7: errands, and words that notices bring');
        ALTER TABLE notice ADD COLUMN text TEXT;
        ALTER TABLE notice ADD COLUMN how TEXT;
        ALTER TABLE waiting ADD COLUMN text TEXT;
        ALTER TABLE waiting ADD COLUMN how TEXT;
        ALTER TABLE command ADD COLUMN state TEXT;
        ALTER TABLE damaged ADD COLUMN sequence INTEGER;
        ALTER TABLE damaged ADD COLUMN payment_id TEXT;
        CREATE TABLE errand (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            command TEXT NOT NULL,
            content TEXT NOT NULL,
            received_at INTEGER NOT NULL,
            clock INTEGER NOT NULL,
            is_sounding INTEGER NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE cancelled_before (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            expiry INTEGER NOT NULL
        ) STRICT;
        """

    private static let eighth = """
        \(seventh)
        INSERT INTO grdb_migrations VALUES ('8: refunds apart from their payments');
        UPDATE notice SET payment_id = char(1) || payment_id WHERE kind = 'refund';
        UPDATE notice SET checksum = 819413064 WHERE sequence = 6;
        UPDATE notice SET checksum = 4132594795 WHERE sequence = 8;
        UPDATE waiting SET payment_id = char(1) || payment_id, checksum = 186382223 WHERE sequence = 8;
        """
}
