#!/bin/sh
# A broker with TLS and an issuer for one claim, without Python's modules for them: what provisioning/enrolment does,
# by openssl's and mosquitto's own commands.
#
# usage: issuer prepare | issuer claim | issuer serve
set -e
mkdir -p /etc/issuer
cd /etc/issuer

prepare() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 30 -subj /CN=issuer \
    -addext keyUsage=critical,keyCertSign,digitalSignature -keyout ca.key -out ca.pem
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 30 -subj /CN=broker \
    -addext subjectAltName=IP:127.0.0.1 -CA ca.pem -CAkey ca.key -keyout broker.key -out broker.pem
  chmod 644 broker.key
  printf 'extendedKeyUsage=clientAuth\nkeyUsage=digitalSignature,keyAgreement\n' >box.ext
  cat >/etc/mosquitto/conf.d/tls.conf <<CONF
# Without it, the one below would be the only one.
listener 1883 127.0.0.1
allow_anonymous true
listener 8883 127.0.0.1
cafile /etc/issuer/ca.pem
certfile /etc/issuer/broker.pem
keyfile /etc/issuer/broker.key
require_certificate true
CONF
  cat >/etc/systemd/system/issuer.service <<UNIT
[Unit]
StartLimitIntervalSec=0
[Service]
ExecStart=/usr/local/bin/issuer serve
Restart=always
RestartSec=1
[Install]
WantedBy=multi-user.target
UNIT
  systemctl enable issuer
}

claim() {
  printf 'claim: batch\ntoken: 0123456789abcdef0123456789abcdef\nbroker: {url: "mqtt://127.0.0.1"}\nissuer: |\n'
  sed 's/^/  /' ca.pem
  echo ...
}

# A text as a string of JSON has it, without its quotes.
string() { sed 's/"/\\"/g' "$1" | awk '{ printf "%s\\n", $0 }'; }

serve() {
  cat >setup.yaml <<SETUP
merchant_id: M1001
device_id: box-88
broker: {url: "mqtts://127.0.0.1", ca_file: /etc/issuer/ca.pem}
SETUP
  mosquitto_sub -h 127.0.0.1 -t 'soundbox/enrol/batch/+/request' -F '%t %p' | while read -r topic payload; do
    field() { printf '%s' "$payload" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
    printf '%b' "$(field request)" >box.csr
    openssl x509 -req -in box.csr -CA ca.pem -CAkey ca.key -days 30 -extfile box.ext -out box.pem
    printf '{"nonce":"%s","hardware_id":"%s","setup":"%s"}' "$(field nonce)" "$(field hardware_id)" \
      "$(string setup.yaml)" |
      openssl cms -sign -binary -nodetach -outform DER -signer ca.pem -inkey ca.key |
      openssl cms -encrypt -binary -aes-256-cbc -outform PEM -out package.pem box.pem
    mosquitto_pub -h 127.0.0.1 -q 1 -t "${topic%request}answer" \
      -m "{\"nonce\":\"$(field nonce)\",\"certificate\":\"$(string box.pem)\",\"package\":\"$(string package.pem)\"}"
  done
}

"$1"
