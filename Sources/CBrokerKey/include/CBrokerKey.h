// Whose key a TLS connection of libmosquitto has proved, for pinning. libmosquitto pins nothing itself, but hands out
// its OpenSSL connection (mosquitto_ssl_get), and OpenSSL answers.
//
// Why this is compiled C and not a module map over OpenSSL's headers: swift-nio-ssl brings BoringSSL, whose types have
// the same names and other definitions, so that no Swift module should see both. Here Swift sees neither.
#pragma once
#include <stdbool.h>

/// Whether the handshake is over. `connection` is an OpenSSL `SSL *`; NULL is a connection without TLS.
bool soundbox_handshake_is_over(const void *connection);

/// The characters of a pin, and the zero that ends it.
enum { SOUNDBOX_PIN_CAPACITY = 45 };

/// Writes the peer's pin: the SHA-256 of its SubjectPublicKeyInfo (RFC 7469, section 2.4) in base64. Returns false when
/// the peer has shown no certificate.
bool soundbox_peer_pin(const void *connection, char pin[SOUNDBOX_PIN_CAPACITY]);
