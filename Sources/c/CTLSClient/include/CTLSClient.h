// Trust for libmosquitto's TLS, by OpenSSL: a context for one connection, which verifies the broker before a byte of
// MQTT is read or written, and reports why it refused one.
//
// Compiled C and not a module map over OpenSSL's headers: most of them are macros, which Swift does not import, and all
// decisions about trust are in one place. Swift sees nothing of OpenSSL.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// Why a call failed.
typedef enum {
    SOUNDBOX_TLS_NO_FAILURE,
    /// The peer has closed the connection.
    SOUNDBOX_TLS_CLOSED,
    /// The chain leads to no trusted authority: an issuer is missing; its name is in `text`.
    SOUNDBOX_TLS_MISSING_ISSUER,
    /// The chain ends in an authority that is not trusted. Its name is in `text`.
    SOUNDBOX_TLS_UNKNOWN_AUTHORITY,
    /// The certificate is self-signed and not trusted.
    SOUNDBOX_TLS_SELF_SIGNED,
    /// A certificate of the chain is not valid yet.
    SOUNDBOX_TLS_NOT_YET_VALID,
    /// A certificate of the chain has expired.
    SOUNDBOX_TLS_EXPIRED,
    /// A key of the chain is too short for OpenSSL's security level.
    SOUNDBOX_TLS_WEAK_KEY,
    /// A signature of the chain has a hash that is too weak for OpenSSL's security level.
    SOUNDBOX_TLS_WEAK_SIGNATURE,
    /// The certificate is not trusted for another reason, which is in `text`.
    SOUNDBOX_TLS_UNTRUSTED,
    /// The certificate is for another name or address.
    SOUNDBOX_TLS_OTHER_HOST,
    /// The key is not pinned. Its pin is in `text`, which is empty if it cannot be read.
    SOUNDBOX_TLS_UNKNOWN_KEY,
    /// The peer requires a client certificate.
    SOUNDBOX_TLS_WANTS_CERTIFICATE,
    /// The peer does not speak TLS.
    SOUNDBOX_TLS_NOT_TLS,
    /// The peer does not speak TLS 1.2 or newer.
    SOUNDBOX_TLS_OLD_VERSION,
    SOUNDBOX_TLS_BAD_AUTHORITIES,
    SOUNDBOX_TLS_BAD_CERTIFICATE,
    SOUNDBOX_TLS_BAD_KEY,
    SOUNDBOX_TLS_OTHER,
} soundbox_tls_failure;

typedef struct {
    soundbox_tls_failure failure;
    /// OpenSSL's text, or a name from the peer's certificate, in UTF-8; may be empty or cut.
    char text[200];
} soundbox_tls_error;

typedef struct soundbox_tls soundbox_tls;

/// Makes the context of one connection. Reads the files now, so a renewed file is used from the next connection on. An
/// encrypted key is an error.
///
/// - host: a name or a numeric address; the certificate must contain exactly this.
/// - authorities: PEM file of the authorities to trust; NULL trusts /etc/ssl/certs.
/// - certificate, key: PEM files of the client, or NULL.
/// - pins: the accepted keys of the broker, separated by blanks: the SHA-256 of the SubjectPublicKeyInfo (RFC 7469,
///   section 2.4) in base64. Empty accepts any key.
///
/// Returns NULL, with the reason in `error`.
soundbox_tls *soundbox_tls_new(
    const char *host, const char *authorities, const char *certificate, const char *key, const char *pins,
    soundbox_tls_error *error);

/// Call after the connection was closed.
void soundbox_tls_free(soundbox_tls *tls);

/// The SSL_CTX for MOSQ_OPT_SSL_CTX, owned by `tls`.
void *soundbox_tls_context(const soundbox_tls *tls);

/// Whether the broker was refused, and why.
bool soundbox_tls_has_refused(const soundbox_tls *tls, soundbox_tls_error *error);

/// Translates an OpenSSL error code into a failure of the connection.
void soundbox_tls_explain(unsigned long code, soundbox_tls_error *error);

// Functions for the SSL of mosquitto_ssl_get.

/// Whether the handshake is still going on.
bool soundbox_tls_shakes_hands(const void *ssl);

/// Whether the last call must wait for room to write, and not for data to read.
bool soundbox_tls_waits_to_write(const void *ssl);

/// Whether there are decrypted bytes that were not read: `poll` does not report them.
bool soundbox_tls_has_unread(const void *ssl);

/// The characters of a pin and its final zero.
enum { SOUNDBOX_PIN_CAPACITY = 45 };

/// When a certificate is valid, in seconds since 1970.
typedef struct {
    long long not_before, not_after;
} soundbox_offered_certificate;

/// Reads the peer's certificate and always refuses it: the handshake ends there, and nothing can be sent or received.
/// It explains a refusal and creates no trust. TLS 1.2 at least. Blocks for at most `milliseconds`.
///
/// OpenSSL writes to the socket itself, so SIGPIPE must be blocked on the calling thread.
///
/// - socket: connected and non-blocking; it stays open.
/// - visit: called with each DNS name and address of the subjectAltName; names are unverified.
///
/// Returns false if no certificate was offered in that time.
bool soundbox_look_at_certificate(
    int socket, const char *host, int milliseconds, soundbox_offered_certificate *certificate,
    void (*visit)(void *context, const char *name, size_t size), void *context);
