// What libmosquitto's TLS trusts, with OpenSSL: a context that it uses for a connection, which decides who the broker is
// before a byte of MQTT is read or written, and says why it refused one.
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
    /// The key is none of the pinned ones. Its pin is in `text`, which is empty when it cannot be read.
    SOUNDBOX_TLS_UNKNOWN_KEY,
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
    /// OpenSSL's text, or a name that the other side's certificate holds, in UTF-8; may be empty, or cut.
    char text[200];
} soundbox_tls_error;

typedef struct soundbox_tls soundbox_tls;

/// Makes what one connection needs. The files are read now, so a renewed file counts from the next connection on. An
/// encrypted key is an error; nobody is asked for a passphrase.
///
/// - host: a name or a numeric address; the certificate must carry exactly this.
/// - authorities: PEM file of the authorities to trust; NULL trusts /etc/ssl/certs.
/// - certificate, key: PEM files of the client, or NULL.
/// - pins: the keys that the broker may have, with blanks between them: the SHA-256 of the SubjectPublicKeyInfo (RFC 7469,
///   section 2.4) in base64. Empty allows any.
///
/// Returns NULL, with the reason in `error`.
soundbox_tls *soundbox_tls_new(
    const char *host, const char *authorities, const char *certificate, const char *key, const char *pins,
    soundbox_tls_error *error);

/// Comes after the connection has gone.
void soundbox_tls_free(soundbox_tls *tls);

/// The SSL_CTX, for MOSQ_OPT_SSL_CTX. It stays the object's.
void *soundbox_tls_context(const soundbox_tls *tls);

/// Whether the broker was refused, and why.
bool soundbox_tls_has_refused(const soundbox_tls *tls, soundbox_tls_error *error);

/// Says what an error code of OpenSSL's means for a connection.
void soundbox_tls_explain(unsigned long code, soundbox_tls_error *error);

// About the SSL that mosquitto_ssl_get returns.

/// Whether the handshake is not over.
bool soundbox_tls_shakes_hands(const void *ssl);

/// Whether the last call waits for room to write, rather than for something to read.
bool soundbox_tls_waits_to_write(const void *ssl);

/// Whether bytes were decrypted that nobody has read: `poll` does not report them.
bool soundbox_tls_has_unread(const void *ssl);

/// The characters of a pin and the zero at its end.
enum { SOUNDBOX_PIN_CAPACITY = 45 };

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
