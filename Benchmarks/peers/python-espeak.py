"""A synthesiser at every payment: paho-mqtt, espeak-ng and aplay. Nothing is kept on the disk.

usage: python-espeak.py PORT DEVICE
"""
import json, queue, subprocess, sys, threading
import paho.mqtt.client as mqtt

port, device = int(sys.argv[1]), sys.argv[2]
waiting = queue.SimpleQueue()


def play():
    while True:
        words = subprocess.Popen(
            ["espeak-ng", "-v", "cmn", "--stdout", f"支付宝到账，{waiting.get()}元"], stdout=subprocess.PIPE)
        subprocess.run(["aplay", "-q", "-D", device], stdin=words.stdout)
        words.wait()


threading.Thread(target=play, daemon=True).start()
client = mqtt.Client("peer", clean_session=False)
client.on_message = lambda client, _, message: waiting.put(json.loads(message.payload)["amount"])
client.on_connect = lambda client, *_: client.subscribe("peer/payments", 1)
client.connect("127.0.0.1", port)
client.loop_forever()
