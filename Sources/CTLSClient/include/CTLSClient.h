// A TLS client on a connected, non-blocking socket, with OpenSSL. It decides what is verified, and tells which key the
// other side has proved before it hands out any of its bytes.
//
// This is compiled C and not a module map over OpenSSL's headers: most of them is macros, which Swift does not see, and
// what decides about trust stands in one place of two hundred lines. Through this header Swift sees nothing of OpenSSL.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// Why a call failed.
typedef enum {
    SOUNDBOX_TLS_NO_FAILURE,
    /// The other side has gone, politely or not.
    SOUNDBOX_TLS_CLOSED,
    /// A system call failed; `code` is its errno.
    SOUNDBOX_TLS_SYSTEM,
    /// The chain of the certificate leads to no trusted authority: one is missing whose name is in `text`.
    SOUNDBOX_TLS_MISSING_ISSUER,
    /// The chain ends in an authority that is not trusted. Its name is in `text`.
    SOUNDBOX_TLS_UNKNOWN_AUTHORITY,
    /// The certificate is signed by itself only, and is not trusted.
    SOUNDBOX_TLS_SELF_SIGNED,
    /// The certificate, or one of its chain, is not valid yet.
    SOUNDBOX_TLS_NOT_YET_VALID,
    /// The certificate, or one of its chain, has expired.
    SOUNDBOX_TLS_EXPIRED,
    /// The key of the certificate, or of one of its chain, is too short for OpenSSL's security level.
    SOUNDBOX_TLS_WEAK_KEY,
    /// The certificate, or one of its chain, is signed with a hash that is too weak for OpenSSL's security level.
    SOUNDBOX_TLS_WEAK_SIGNATURE,
    /// The certificate is not trusted for another reason, which is in `text`.
    SOUNDBOX_TLS_UNTRUSTED,
    /// The certificate is for another name or address.
    SOUNDBOX_TLS_OTHER_HOST,
    /// The other side asks for a client certificate.
    SOUNDBOX_TLS_WANTS_CERTIFICATE,
    /// The other side does not speak TLS.
    SOUNDBOX_TLS_NOT_TLS,
    /// The other side speaks no TLS that is as new as 1.2.
    SOUNDBOX_TLS_OLD_VERSION,
    SOUNDBOX_TLS_BAD_AUTHORITIES,
    SOUNDBOX_TLS_BAD_CERTIFICATE,
    SOUNDBOX_TLS_BAD_KEY,
    SOUNDBOX_TLS_OTHER,
} soundbox_tls_failure;

typedef struct {
    soundbox_tls_failure failure;
    int code;
    /// OpenSSL's text, or a name that the other side's certificate holds, in UTF-8; may be empty, or cut.
    char text[200];
} soundbox_tls_error;

typedef struct soundbox_tls soundbox_tls;

/// Prepares a connection and sends nothing. The files are read now, so a renewed file counts from the next connection
/// on. An encrypted key is an error; nobody is asked for a passphrase.
///
/// - host: a name or a numeric address; the certificate must carry exactly this.
/// - authorities: PEM file of the authorities to trust; NULL trusts /etc/ssl/certs.
/// - certificate, key: PEM files of the client, or NULL.
///
/// Returns NULL, with the reason in `error`.
soundbox_tls *soundbox_tls_new(
    int socket, const char *host, const char *authorities, const char *certificate, const char *key,
    soundbox_tls_error *error);

/// Frees everything except the socket.
void soundbox_tls_free(soundbox_tls *tls);

/// Continues the handshake. Reads no application data, not even what arrived together with its end. Returns 1 when the
/// handshake is over, 0 when it waits for the socket, -1 with the reason in `error`.
int soundbox_tls_shake_hands(soundbox_tls *tls, soundbox_tls_error *error);

/// Whether the last call waits for room to write, rather than for something to read.
bool soundbox_tls_waits_to_write(const soundbox_tls *tls);

/// Reads at most `capacity` bytes that have arrived. Returns their number, 0 when there are none, -1 with the reason in
/// `error`.
long soundbox_tls_read(soundbox_tls *tls, void *bytes, size_t capacity, soundbox_tls_error *error);

/// Sends as much as the network takes. Returns the number of bytes, 0 when there is no room, -1 with the reason in
/// `error`.
long soundbox_tls_write(soundbox_tls *tls, const void *bytes, size_t count, soundbox_tls_error *error);

/// Tells the other side that nothing follows, if the network takes it.
void soundbox_tls_finish(soundbox_tls *tls);

/// The characters of a pin and the zero at its end.
enum { SOUNDBOX_PIN_CAPACITY = 45 };

/// Writes the peer's pin: the SHA-256 of its SubjectPublicKeyInfo (RFC 7469, section 2.4) in base64. Returns false when
/// the peer has sent no certificate.
bool soundbox_tls_peer_pin(const soundbox_tls *tls, char pin[SOUNDBOX_PIN_CAPACITY]);

/// When a certificate is valid, in seconds since 1970.
typedef struct {
    long long not_before, not_after;
} soundbox_offered_certificate;

/// Takes the certificate that the other side offers, and refuses it, whatever it is: the handshake ends there, and nothing
/// can be sent or received. It explains a refusal and trusts nobody. At least TLS 1.2. Blocks for at most `milliseconds`.
///
/// OpenSSL writes to the socket itself, so SIGPIPE must be blocked on the calling thread.
///
/// - socket: connected and non-blocking; it stays open.
/// - visit: called with each DNS name and address of its subjectAltName; a name is what the other side says.
///
/// Returns false when nothing was offered within that time.
bool soundbox_look_at_certificate(
    int socket, const char *host, int milliseconds, soundbox_offered_certificate *certificate,
    void (*visit)(void *context, const char *name, size_t size), void *context);
