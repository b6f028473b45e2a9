-- A file of version 3, as `sqlite3 FILE .dump` shows it. The gateway that wrote it, a broker and a box had a day's events
-- in a few seconds; one payment was given up after its 72 hours.
CREATE TABLE box (
    number INTEGER PRIMARY KEY,
    merchant TEXT NOT NULL,
    device TEXT NOT NULL,
    session_epoch INTEGER,
    faults TEXT NOT NULL DEFAULT '[]',
    seen_at INTEGER,
    said_at INTEGER,
    reconciled_epoch INTEGER,
    reconciled_after INTEGER,
    UNIQUE (merchant, device)
) STRICT;
INSERT INTO box VALUES (1,'M1001','box-01',3,'["no time"]',1795862107285,NULL,NULL,NULL);
INSERT INTO box VALUES (2,'M1001','box-02',NULL,'[]',NULL,NULL,NULL,NULL);
INSERT INTO box VALUES (3,'M1001','box-03',NULL,'[]',NULL,NULL,NULL,NULL);
INSERT INTO box VALUES (4,'M1001','box-04',NULL,'[]',NULL,NULL,NULL,NULL);
CREATE TABLE payment (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    box INTEGER NOT NULL,
    payment_id TEXT NOT NULL,
    is_refund INTEGER NOT NULL,
    amount TEXT NOT NULL,
    currency TEXT NOT NULL,
    kind TEXT NOT NULL,
    channel TEXT,
    paid_at INTEGER NOT NULL,
    text TEXT,
    accepted_at INTEGER NOT NULL,
    accepted_after INTEGER NOT NULL,
    state TEXT NOT NULL,
    state_since INTEGER NOT NULL,
    how TEXT,
    reason TEXT,
    receipt_epoch TEXT,
    receipt_sequence INTEGER,
    published_at INTEGER,
    published_after INTEGER,
    resends INTEGER NOT NULL,
    session_epoch INTEGER,
    due_after INTEGER,
    UNIQUE (box, payment_id, is_refund)
) STRICT;
INSERT INTO payment VALUES (1,1,'announced',0,'123.45','CNY','payment','alipay',1795832100000,NULL,1795862105097,2228,'announced',1795862106117,'aloud',NULL,'e1',4,1795862105102,2232,0,3,NULL);
INSERT INTO payment VALUES (2,1,'failed',0,'8','CNY','payment',NULL,1795862105103,NULL,1795862105103,2233,'failed',1795862106120,NULL,'amount: too large','e1',5,1795862105104,2234,0,3,NULL);
INSERT INTO payment VALUES (3,1,'stored',0,'1.234','CNY','payment','wechat',1795862105104,'谢谢 "A" \ 😀/ ',1795862105104,2235,'stored',1795862106127,NULL,NULL,'e1',6,1795862105105,2236,0,3,NULL);
INSERT INTO payment VALUES (4,1,'announced',1,'23.45','CNY','refund','alipay',1795862105106,NULL,1795862105106,2237,'announced',1795862106130,'muted',NULL,'e1',7,1795862105107,2238,0,3,NULL);
INSERT INTO payment VALUES (5,1,'given-up',0,'99','CNY','payment',NULL,1795862105108,NULL,1795862105108,-259997762,'given_up',1795862107293,NULL,'the box has not stored it within 72 hours',NULL,NULL,1795862105108,2239,0,3,NULL);
INSERT INTO payment VALUES (6,1,'published',0,'1.5','KWD','deposit',NULL,1795862105109,NULL,1795862105109,2240,'published',1795862105110,NULL,NULL,NULL,NULL,1795862105110,2241,0,3,34317);
INSERT INTO payment VALUES (7,2,'signed',0,'1250','JPY','payment',NULL,1795862105111,NULL,1795862105111,2241,'published',1795862105112,NULL,NULL,NULL,NULL,1795862105112,2243,0,NULL,259202241);
INSERT INTO payment VALUES (8,3,'ü/%2F 😀',0,'0.05','CNY','payment',NULL,1795862105113,printf('%.*c', 4000, 'x'),1795862105113,2243,'published',1795862105114,NULL,NULL,NULL,NULL,1795862105114,2244,0,NULL,259202243);
INSERT INTO payment VALUES (9,1,'accepted',0,'0.01','CNY','payment',NULL,1795862110800,'hi',1795862110800,7829,'accepted',1795862110800,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,0);
INSERT INTO payment VALUES (10,2,'signed',1,'1.125','KWD','refund',NULL,1,NULL,1795862110805,7834,'accepted',1795862110805,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,0);
INSERT INTO payment VALUES (11,4,'unknown box',0,'1000000000000000','CNY','payment',NULL,1795862110809,NULL,1795862110809,7837,'accepted',1795862110809,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,0);
CREATE TABLE clock (running INTEGER NOT NULL) STRICT;
INSERT INTO clock VALUES (7850);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('payment',12);
CREATE INDEX payment_due ON payment (due_after) WHERE due_after IS NOT NULL;
CREATE INDEX payment_open ON payment (box) WHERE due_after IS NOT NULL;
PRAGMA user_version = 3;
