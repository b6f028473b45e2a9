-- A file of version 4, as `sqlite3 FILE .dump` shows it: that of version 3, migrated, with a payment and two unread
-- webhooks that came to version 4, one of them twice.
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
INSERT INTO box VALUES(1,'M1001','box-01',3,'["no time"]',1795862107285,NULL,NULL,NULL);
INSERT INTO box VALUES(2,'M1001','box-02',NULL,'[]',NULL,NULL,NULL,NULL);
INSERT INTO box VALUES(3,'M1001','box-03',NULL,'[]',NULL,NULL,NULL,NULL);
INSERT INTO box VALUES(4,'M1001','box-04',NULL,'[]',NULL,NULL,NULL,NULL);
INSERT INTO box VALUES(5,'M1001','box-05',NULL,'[]',NULL,NULL,NULL,NULL);
CREATE TABLE clock (running INTEGER NOT NULL) STRICT;
INSERT INTO clock VALUES(7906);
CREATE TABLE payment (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    box INTEGER NOT NULL,
    payment_id TEXT NOT NULL,
    is_refund INTEGER NOT NULL,
    notice TEXT NOT NULL,
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
INSERT INTO payment VALUES(1,1,'announced',0,'{"id":"announced","amount":"123.45","currency":"CNY","channel":"alipay","paid_at":"2026-11-28T02:15:00.000Z"}',1795862105097,2228,'announced',1795862106117,'aloud',NULL,'e1',4,1795862105102,2232,0,3,NULL);
INSERT INTO payment VALUES(2,1,'failed',0,'{"id":"failed","amount":"8","currency":"CNY","paid_at":"2026-11-28T10:35:05.103Z"}',1795862105103,2233,'failed',1795862106120,NULL,'amount: too large','e1',5,1795862105104,2234,0,3,NULL);
INSERT INTO payment VALUES(3,1,'stored',0,'{"id":"stored","amount":"1.2340","currency":"CNY","channel":"wechat","paid_at":"2026-11-28T10:35:05.104Z","text":"谢谢 \"A\" \\ 😀/\u2028"}',1795862105104,2235,'stored',1795862106127,NULL,NULL,'e1',6,1795862105105,2236,0,3,NULL);
INSERT INTO payment VALUES(4,1,'announced',1,'{"id":"announced","amount":"23.45","currency":"CNY","channel":"alipay","paid_at":"2026-11-28T10:35:05.106Z","kind":"refund"}',1795862105106,2237,'announced',1795862106130,'muted',NULL,'e1',7,1795862105107,2238,0,3,NULL);
INSERT INTO payment VALUES(5,1,'given-up',0,'{"id":"given-up","amount":"99","currency":"CNY","paid_at":"2026-11-28T10:35:05.108Z"}',1795862105108,-259997762,'given_up',1795862107293,NULL,'the box has not stored it within 72 hours',NULL,NULL,1795862105108,2239,0,3,NULL);
INSERT INTO payment VALUES(6,1,'published',0,'{"id":"published","amount":"1.5","currency":"KWD","paid_at":"2026-11-28T10:35:05.109Z","kind":"deposit"}',1795862105109,2240,'published',1795862105110,NULL,NULL,NULL,NULL,1795862105110,2241,0,3,34317);
INSERT INTO payment VALUES(7,2,'signed',0,'{"id":"signed","amount":"1250","currency":"JPY","paid_at":"2026-11-28T10:35:05.111Z"}',1795862105111,2241,'published',1795862105112,NULL,NULL,NULL,NULL,1795862105112,2243,0,NULL,259202241);
INSERT INTO payment VALUES(8,3,'ü/%2F 😀',0,'{"id":"ü/%2F 😀","amount":"0.05","currency":"CNY","paid_at":"2026-11-28T10:35:05.113Z"}',1795862105113,2243,'published',1795862105114,NULL,NULL,NULL,NULL,1795862105114,2244,0,NULL,259202243);
INSERT INTO payment VALUES(9,1,'accepted',0,'{"id":"accepted","amount":"0.01","currency":"CNY","paid_at":"2026-11-28T10:35:10.800Z","text":"hi"}',1795862110800,7829,'accepted',1795862110800,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,0);
INSERT INTO payment VALUES(10,2,'signed',1,'{"id":"signed","amount":"1.125","currency":"KWD","paid_at":"1970-01-01T00:00:00.001Z","kind":"refund"}',1795862110805,7834,'accepted',1795862110805,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,0);
INSERT INTO payment VALUES(11,4,'unknown box',0,'{"id":"unknown box","amount":"1000000000000000","currency":"CNY","paid_at":"2026-11-28T10:35:10.809Z"}',1795862110809,7837,'accepted',1795862110809,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,0);
INSERT INTO payment VALUES(13,5,'new',0,'{"id":"new","amount":"12.5","currency":"CNY","paid_at":"2026-11-28T13:55:54.703Z"}',1795874154703,7872,'accepted',1795874154703,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,0);
CREATE TABLE unread (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    hook TEXT NOT NULL,
    path TEXT NOT NULL,
    form TEXT NOT NULL,
    signed TEXT,
    hash BLOB NOT NULL,
    size INTEGER NOT NULL,
    document BLOB NOT NULL,
    came_at INTEGER NOT NULL,
    came_after INTEGER NOT NULL,
    count INTEGER NOT NULL,
    reason TEXT NOT NULL,
    UNIQUE (hook, hash)
) STRICT;
INSERT INTO unread VALUES(1,'shop','/hooks/shop','json',NULL,X'bab2931f7dcfb0e5065bc1cbd046d898a9b461d1e33a136b4d3d07953f92d846',27,X'7b226964223a22412d31222c22746f74616c223a22312e3530227d',1795874154714,7883,2,'amount: this field is missing');
INSERT INTO unread VALUES(2,'shop','/hooks/shop','form',NULL,X'988d5c6991a8a840ac4317eca26ff47d97c508a70fdf9c1246aebe036aec762b',11,X'6e6f6e73656e736520c3bc',1795874154730,7899,1,'the body is no form: expected name=value, percent-encoded, with &');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('payment',13);
INSERT INTO sqlite_sequence VALUES('unread',2);
CREATE INDEX payment_due ON payment (due_after) WHERE due_after IS NOT NULL;
CREATE INDEX payment_open ON payment (box) WHERE due_after IS NOT NULL;
CREATE INDEX unread_size ON unread (size);
PRAGMA user_version = 4;
