// A TLS client on a connected, non-blocking socket, by OpenSSL. It decides what is verified, and hands out whose key the
// other side has proved before any of its bytes are.
//
// Why this is compiled C and not a module map over OpenSSL's headers: swift-nio-ssl brings BoringSSL, whose types have
// the same names and other definitions, so that no Swift module should see both. Here Swift sees neither.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// Why it does not go on.
typedef enum {
    SOUNDBOX_TLS_NO_FAILURE,
    /// The other side has gone, politely or not.
    SOUNDBOX_TLS_CLOSED,
    /// `code` is the system's.
    SOUNDBOX_TLS_SYSTEM,
    /// The certificate does not lead to a trusted authority, or not at this time.
    SOUNDBOX_TLS_UNTRUSTED,
    /// The certificate is made out to another name or address.
    SOUNDBOX_TLS_OTHER_HOST,
    /// The other side asks for a client certificate.
    SOUNDBOX_TLS_WANTS_CERTIFICATE,
    /// What answers does not speak TLS.
    SOUNDBOX_TLS_NOT_TLS,
    SOUNDBOX_TLS_BAD_AUTHORITIES,
    SOUNDBOX_TLS_BAD_CERTIFICATE,
    SOUNDBOX_TLS_BAD_KEY,
    SOUNDBOX_TLS_OTHER,
} soundbox_tls_failure;

typedef struct {
    soundbox_tls_failure failure;
    int code;
    /// What OpenSSL says; may be empty.
    char text[200];
} soundbox_tls_error;

typedef struct soundbox_tls soundbox_tls;

/// Prepares a connection, and sends nothing. The files are read now, so that renewed ones count from the next connection
/// on. A key that is encrypted is an error, and nobody is asked for a passphrase.
///
/// - host: a name or a numeric address; the certificate must carry exactly this.
/// - authorities: PEM file of those to trust; NULL trusts /etc/ssl/certs.
/// - certificate, key: PEM files of the client's own, or NULL.
///
/// Returns NULL, with the reason in `error`.
soundbox_tls *soundbox_tls_new(
    int socket, const char *host, const char *authorities, const char *certificate, const char *key,
    soundbox_tls_error *error);

/// Frees everything except the socket.
void soundbox_tls_free(soundbox_tls *tls);

/// Goes on with the handshake. No byte of the application is read here, not even one that arrived with its end.
/// Returns 1 when it is over, 0 when it waits for the socket, -1 with the reason in `error`.
int soundbox_tls_shake_hands(soundbox_tls *tls, soundbox_tls_error *error);

/// Whether what the last call waits for is room to write, and not something to read.
bool soundbox_tls_waits_to_write(const soundbox_tls *tls);

/// Reads what has arrived, at most `capacity` bytes. Returns their number, 0 when there is none now, -1 with the reason
/// in `error`.
long soundbox_tls_read(soundbox_tls *tls, void *bytes, size_t capacity, soundbox_tls_error *error);

/// Sends as much as the network takes now. Returns the number of bytes, 0 when there is no room, -1 with the reason in
/// `error`.
long soundbox_tls_write(soundbox_tls *tls, const void *bytes, size_t count, soundbox_tls_error *error);

/// Tells the other side, if the network takes it, that nothing more will be sent.
void soundbox_tls_finish(soundbox_tls *tls);

/// The characters of a pin, and the zero that ends it.
enum { SOUNDBOX_PIN_CAPACITY = 45 };

/// Writes the peer's pin: the SHA-256 of its SubjectPublicKeyInfo (RFC 7469, section 2.4) in base64. Returns false when
/// the peer has shown no certificate.
bool soundbox_tls_peer_pin(const soundbox_tls *tls, char pin[SOUNDBOX_PIN_CAPACITY]);
