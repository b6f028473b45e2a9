"""How each provider signs, and what its own SDK says of a request."""
import base64
import hashlib
import hmac
import json
import os
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlencode

import razorpay
import stripe
from Adyen.util import generate_notification_sig, is_valid_hmac_notification
from alipay import AliPay
from cashfree_pg.api_client import Cashfree
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from payos import PayOS
from pypaystack2 import PaystackClient
from square.utils.webhooks_helper import verify_signature
from standardwebhooks.webhooks import Webhook as StandardWebhook
from svix.webhooks import Webhook as SvixWebhook
from wechatpayv3 import WeChatPay, WeChatPayType
from wechatpayv3.utils import rsa_sign


@dataclass
class Request:
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Provider:
    """A hook's file, and its SDK."""

    hook: str
    package: str
    # Makes a genuine request of a body: (body, seconds, secret).
    sign: Callable[[bytes, int, str], Request]
    # Whether the SDK takes a request. An exception is a no.
    judge: Callable[[Request], bool]
    secret: str
    # Paths of the event's id, its amount, and a text that people write.
    id: str
    amount: str
    text: str
    # How the amount is written: `minor` 1050, `decimal` 10.5, `text` "10.50", `whole` 1050 of a currency without decimals.
    unit: str = "minor"
    # A stranger's secret, where it must have a form.
    other: str = ""
    # What the hook's file names besides the secret, and what is replaced in it.
    files: dict[str, bytes] = field(default_factory=dict)
    changes: dict[str, str] = field(default_factory=dict)
    # Whether the time is signed.
    timed: bool = False
    # Whether the SDK has signed, and not only judged.
    signs: bool = False
    # What only the gateway refuses, and why.
    stricter: dict[str, str] = field(default_factory=dict)
    # What is sent of an event: WeChat Pay encrypts it.
    wrap: Callable[[bytes], bytes] = lambda body: body
    # In the table, where it is not the hook's name.
    label: str = ""


def at(document: object, path: str) -> tuple[object, str | int]:
    """The object or list that holds the last part of a path, and that part."""
    parts: list[str | int] = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in parts[:-1]:
        document = document[part]
    return document, parts[-1]


def code(key: str | bytes, message: str | bytes, how: str = "sha256") -> bytes:
    key, message = (part.encode() if isinstance(part, str) else part for part in (key, message))
    return hmac.new(key, message, getattr(hashlib, how)).digest()


def base64_text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def token(length: int = 32) -> str:
    return "".join(random.choices("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789", k=length))


def raised(call: Callable[[], object]) -> bool:
    """Whether an SDK that says no by an exception says yes."""
    call()
    return True


# MARK: Providers

def with_stripe() -> Provider:
    secret = "whsec_" + token()
    return Provider(
        "stripe", "stripe",
        lambda body, seconds, key: Request(body, {"Stripe-Signature": stripe.WebhookSignature.generate_signature_header(
            body.decode(), key, seconds)}),
        lambda request: raised(lambda: stripe.Webhook.construct_event(
            request.body, request.headers.get("Stripe-Signature"), secret)),
        secret, "data.object.id", "data.object.amount_received", "data.object.metadata.note", timed=True, signs=True,
        stricter={"a time ahead": "the SDK knows no time too far ahead"})


def with_razorpay() -> Provider:
    secret = token()
    judge = razorpay.Client(auth=("key", "secret")).utility
    return Provider(
        "razorpay", "razorpay",
        lambda body, _, key: Request(body, {"X-Razorpay-Signature": code(key, body).hex()}),
        lambda request: judge.verify_webhook_signature(
            request.body.decode(), request.headers["X-Razorpay-Signature"], secret),
        secret, "payload.payment.entity.id", "payload.payment.entity.amount", "payload.payment.entity.notes.words")


def with_square() -> Provider:
    secret, url = token(22), "https://pay.example/hooks/square"
    return Provider(
        "square", "squareup",
        lambda body, _, key: Request(
            body, {"x-square-hmacsha256-signature": base64_text(code(key, url.encode() + body))}),
        lambda request: verify_signature(
            request_body=request.body.decode(), signature_header=request.headers["x-square-hmacsha256-signature"],
            signature_key=secret, notification_url=url),
        secret, "data.object.payment.id", "data.object.payment.total_money.amount", "data.object.payment.note")


def with_adyen() -> Provider:
    secret = random.randbytes(32).hex().upper()

    def sign(body: bytes, _: int, key: str) -> Request:
        document = json.loads(body)
        item = document["notificationItems"][0]["NotificationRequestItem"]
        unsigned = {name: value for name, value in item.items() if name != "additionalData"}
        item["additionalData"]["hmacSignature"] = generate_notification_sig(unsigned, key).decode()
        return Request(json.dumps(document, ensure_ascii=False).encode())

    item = "notificationItems.0.NotificationRequestItem"
    return Provider(
        "adyen", "Adyen", sign, lambda request: is_valid_hmac_notification(json.loads(request.body), secret),
        secret, f"{item}.pspReference", f"{item}.amount.value", f"{item}.reason",
        other=random.randbytes(32).hex(), signs=True)


def with_cashfree() -> Provider:
    secret = token()
    judge = Cashfree(Cashfree.SANDBOX, "id", secret)

    def sign(body: bytes, seconds: int, key: str) -> Request:
        stamp = str(seconds * 1000 + random.randrange(1000))
        return Request(body, {
            "x-webhook-timestamp": stamp, "x-webhook-signature": base64_text(code(key, stamp.encode() + body))})

    return Provider(
        "cashfree", "cashfree_pg", sign,
        lambda request: raised(lambda: judge.PGVerifyWebhookSignature(
            request.headers["x-webhook-signature"], request.body.decode(), request.headers["x-webhook-timestamp"])),
        secret, "data.payment.cf_payment_id", "data.payment.payment_amount", "data.payment.payment_message",
        unit="decimal", timed=True,
        stricter={"an old time": "the SDK leaves the time to its caller",
                  "a time ahead": "the SDK leaves the time to its caller"})


def with_payos() -> Provider:
    secret = random.randbytes(32).hex()
    judge = PayOS(client_id="id", api_key="key", checksum_key=secret)

    def sign(body: bytes, _: int, key: str) -> Request:
        document = json.loads(body)
        document["signature"] = judge.crypto.create_signature_from_object(document["data"], key)
        return Request(json.dumps(document, ensure_ascii=False).encode())

    def verify(request: Request) -> bool:
        # What `webhooks.verify` compares. It also refuses any member that its model does not know, signed or not.
        document = json.loads(request.body)
        right = judge.crypto.create_signature_from_object(document["data"], secret)
        return right is not None and hmac.compare_digest(right, document["signature"])

    return Provider(
        "payos", "payos", sign, verify,
        secret, "data.reference", "data.amount", "data.description", unit="whole",
        other=random.randbytes(32).hex(), signs=True)


def with_paystack() -> Provider:
    secret = "sk_live_" + token()
    judge = PaystackClient(secret_key=secret)
    return Provider(
        "paystack", "pypaystack2",
        lambda body, _, key: Request(body, {"x-paystack-signature": code(key, body, "sha512").hex()}),
        lambda request: judge.is_verified_webhook_payload(request.body, request.headers["x-paystack-signature"]),
        secret, "data.reference", "data.amount", "data.message")


def with_standard_webhooks(package: str, names: str) -> Provider:
    secret = "whsec_" + base64_text(random.randbytes(24))
    make = SvixWebhook if package == "svix" else StandardWebhook

    def sign(body: bytes, seconds: int, key: str) -> Request:
        message = "msg_" + token(20)
        signature = make(key).sign(message, datetime.fromtimestamp(seconds, UTC), body.decode())
        return Request(body, {
            f"{names}-id": message, f"{names}-timestamp": str(seconds), f"{names}-signature": signature})

    return Provider(
        "standard-webhooks", package, sign, lambda request: raised(lambda: make(secret).verify(
            request.body, request.headers)),
        secret, "data.id", "data.amount", "data.note", unit="text",
        other="whsec_" + base64_text(random.randbytes(24)), timed=True, signs=True,
        label="" if package == "standardwebhooks" else package, changes={} if names == "webhook" else {
            f"webhook-{part}": f"{names}-{part}" for part in ("id", "timestamp", "signature")})


def certificate(key: rsa.RSAPrivateKey, serial: int) -> bytes:
    """One that a platform has issued to itself, in PEM."""
    name, now = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Tenpay.com")]), datetime.now(UTC)
    made = x509.CertificateBuilder(
        name, name, key.public_key(), serial, now - timedelta(days=1), now + timedelta(days=90)
    ).sign(key, hashes.SHA256())
    return made.public_bytes(serialization.Encoding.PEM)


def with_wechat(by_certificate: bool = False) -> Provider:
    private = rsa.generate_private_key(65537, 2048)
    stranger = rsa.generate_private_key(65537, 2048)
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    secret, serial = token(), "PUB_KEY_ID_0114232134912410000000000000"
    proof: dict[str, str] = {"public_key": public.decode(), "public_key_id": serial}
    changes: dict[str, str] = {}
    folder = tempfile.TemporaryDirectory()
    if by_certificate:
        number = random.getrandbits(158) | 1 << 158
        changes, serial, public = {serial: f"{number:X}"}, f"{number:X}", certificate(private, number)
        with open(os.path.join(folder.name, "platform.pem"), "wb") as file:
            file.write(public)
        proof = {"cert_dir": folder.name}

    def judge(request: Request) -> bool:
        # Afresh: of a serial number that it does not know the SDK forgets the others.
        assert os.path.isdir(folder.name)
        client = WeChatPay(
            wechatpay_type=WeChatPayType.NATIVE, mchid="1230000109", private_key=pem.decode(), cert_serial_no="4A",
            apiv3_key=secret, appid="wx", notify_url="https://pay.example", **proof)
        return bool(client.callback(request.headers, request.body))

    def seal(body: bytes) -> bytes:
        nonce = token(12)
        sealed = AESGCM(secret.encode()).encrypt(nonce.encode(), body, b"transaction")
        return json.dumps({
            "id": token(), "create_time": "2026-11-28T10:15:00+08:00", "resource_type": "encrypt-resource",
            "event_type": "TRANSACTION.SUCCESS", "summary": "支付成功", "resource": {
                "original_type": "transaction", "algorithm": "AEAD_AES_256_GCM", "ciphertext": base64_text(sealed),
                "associated_data": "transaction", "nonce": nonce}}).encode()

    def sign(body: bytes, seconds: int, key: str) -> Request:
        nonce = token()
        signature = rsa_sign(
            private if key == secret else stranger, f"{seconds}\n{nonce}\n{body.decode()}\n")
        return Request(body, {
            "Wechatpay-Serial": serial, "Wechatpay-Signature": signature, "Wechatpay-Timestamp": str(seconds),
            "Wechatpay-Nonce": nonce, "Wechatpay-Signature-Type": "WECHATPAY2-SHA256-RSA2048"})

    late = "the SDK looks at no time"
    return Provider(
        "wechatpay", "wechatpayv3", sign, judge, secret, "transaction_id", "amount.total", "attach", timed=True, signs=True, wrap=seal,
        files={"wechatpay-apiv3.key": secret.encode(), "wechatpay-pub.pem": public}, changes=changes,
        label="wechatpay (certificate)" if by_certificate else "",
        stricter={"an old time": late, "a time ahead": late})


def with_alipay() -> Provider:
    def pair() -> tuple[str, bytes]:
        key = rsa.generate_private_key(65537, 2048)
        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        return pem.decode(), key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    (alipay, public), (stranger, _) = pair(), pair()

    def of(private: str) -> AliPay:
        return AliPay(
            appid="2015102700040153", app_private_key_string=private, alipay_public_key_string=public.decode())

    right, wrong = of(alipay), of(stranger)

    def sign(body: bytes, _: int, key: str) -> Request:
        fields = json.loads(body)
        unsigned = "&".join(f"{name}={value}" for name, value in sorted(fields.items()))
        fields["sign"] = (right if key == "right" else wrong)._sign(unsigned)
        fields["sign_type"] = "RSA2"
        return Request(
            urlencode(fields).encode(), {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"})

    def judge(request: Request) -> bool:
        fields = dict(parse_qsl(request.body.decode(), keep_blank_values=True, strict_parsing=True))
        return right.verify(fields, fields.pop("sign"))

    return Provider(
        "alipay", "python-alipay-sdk", sign, judge, "right", "trade_no", "total_amount", "subject", unit="text",
        other="wrong", signs=True, files={"alipay.pem": public},
        stricter={"another length": "of a name that occurs twice the SDK's caller sees one"})


def all_providers() -> list[Provider]:
    return [
        with_stripe(), with_razorpay(), with_wechat(), with_wechat(by_certificate=True), with_alipay(), with_square(),
        with_adyen(), with_cashfree(), with_payos(), with_paystack(),
        with_standard_webhooks("standardwebhooks", "webhook"), with_standard_webhooks("svix", "svix"),
    ]
