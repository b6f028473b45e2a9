"""What a shop's nephew would write, and write well: paho-mqtt, an inbox in SQLite, clips in memory, pyalsaaudio.

usage: python-alsaaudio.py PORT DEVICE CLIPS DATABASE
"""
import json, os, queue, sqlite3, sys, threading, wave
import alsaaudio
import paho.mqtt.client as mqtt

port, device, clips, database = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
sounds = {}
for name in os.listdir(clips):
    with wave.open(os.path.join(clips, name)) as file:
        sounds[name.removesuffix(".wav")] = file.readframes(file.getnframes())

PERIOD = 1024
rest = bytes(2 * 48000 // 2)
# Debian's release cannot choose the buffer's length: it has four periods, 85 ms.
pcm = alsaaudio.PCM(alsaaudio.PCM_PLAYBACK, device=device)
pcm.setchannels(1)
pcm.setrate(48000)
pcm.setformat(alsaaudio.PCM_FORMAT_S16_LE)
pcm.setperiodsize(PERIOD)
waiting = queue.SimpleQueue()


def numeral(number):
    """1 to 999, as file names of clips."""
    hundreds, rest = divmod(number, 100)
    return ([f"h{hundreds}"] if hundreds else []) + ([f"n{rest}"] if rest else [])


def play():
    while True:
        amount = waiting.get()
        whole, _, cents = amount.partition(".")
        names = ["chime", "arrived", *numeral(int(whole)), f"c{cents}"]
        sound = b"".join(sounds[name] for name in names) + rest
        for place in range(0, len(sound), 2 * PERIOD):
            piece = sound[place:place + 2 * PERIOD]
            pcm.write(piece + bytes(2 * PERIOD - len(piece)))


def received(client, _, message):
    notice = json.loads(message.payload)
    with inbox:
        known = inbox.execute("INSERT OR IGNORE INTO payments VALUES (?, ?)", (notice["id"], notice["amount"])).rowcount == 0
    if not known:
        waiting.put(notice["amount"])


inbox = sqlite3.connect(database, check_same_thread=False)
inbox.execute("PRAGMA journal_mode = WAL")
inbox.execute("PRAGMA synchronous = FULL")
inbox.execute("CREATE TABLE IF NOT EXISTS payments (id TEXT PRIMARY KEY, amount TEXT) WITHOUT ROWID")
threading.Thread(target=play, daemon=True).start()
client = mqtt.Client("peer", clean_session=False)
client.on_message = received
client.on_connect = lambda client, *_: client.subscribe("peer/payments", 1)
client.connect("127.0.0.1", port)
client.loop_forever()
