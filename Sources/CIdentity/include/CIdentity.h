// A box's own key and certificate, with OpenSSL's libcrypto: made, asked for, judged, and what was sent to their owner
// alone. Its one importer is SoundboxSystem.
//
// This is compiled C for the reason of CTLSClient: most of OpenSSL's headers is macros, which Swift does not see, and what
// decides about trust stands in one place. Nothing of OpenSSL is seen through this header. Texts end with a zero, and
// those that are returned belong to the caller, for `soundbox_identity_free`. No function waits.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// What a certificate, or a package, turned out to be.
typedef enum {
    SOUNDBOX_IDENTITY_GOOD,
    /// No PEM of a private key, or an encrypted one.
    SOUNDBOX_IDENTITY_BAD_KEY,
    /// No PEM of a certificate.
    SOUNDBOX_IDENTITY_BAD_CERTIFICATE,
    /// No PEM of the issuer's certificate.
    SOUNDBOX_IDENTITY_BAD_ISSUER,
    /// The certificate is for another key.
    SOUNDBOX_IDENTITY_OTHER_KEY,
    /// The issuer does not vouch for it.
    SOUNDBOX_IDENTITY_UNTRUSTED,
    /// No CMS, or it cannot be opened with this key.
    SOUNDBOX_IDENTITY_SEALED,
    /// Opened, and not signed by the issuer.
    SOUNDBOX_IDENTITY_UNSIGNED,
    /// libcrypto has no memory, or lacks what is needed.
    SOUNDBOX_IDENTITY_FAILED,
} soundbox_identity_verdict;

/// When a certificate is valid, in seconds since 1970.
typedef struct {
    long long not_before, not_after;
} soundbox_identity_validity;

/// A new private key on P-256, in PEM (PKCS #8, not encrypted). NULL when libcrypto has no memory or no randomness.
char *soundbox_identity_make_key(void);

/// A signing request (PKCS #10) for `key`, in PEM, with `name` as its common name: at most 64 bytes. NULL when `key` is
/// none.
char *soundbox_identity_request(const char *key, const char *name);

/// Judges a certificate, in PEM with those between it and the issuer behind it, and nothing else: whether it is for `key`,
/// fit for a client of TLS, and whether `issuer`, which is trusted whoever vouches for it, has issued it. What the time is
/// does not matter: a box may not know it.
///
/// - key: NULL takes the certificate for any key.
/// - issuer: NULL asks nobody to vouch for it.
/// - validity: of a certificate that can be read.
/// - clean: when the verdict is good, the certificate and those that lead to the issuer, in PEM, as they were understood:
///   whatever else stood in the text is gone.
soundbox_identity_verdict soundbox_identity_judge(
    const char *certificate, const char *key, const char *issuer, soundbox_identity_validity *validity, char **clean);

/// Opens a package: CMS EnvelopedData (RFC 5652) in PEM for the owner of the key, around SignedData of the issuer's.
///
/// - content: what was signed, `size` bytes, only when the verdict is good.
soundbox_identity_verdict soundbox_identity_open(
    const char *package, const char *certificate, const char *key, const char *issuer, char **content, size_t *size);

/// Overwrites and frees what the functions above have made.
void soundbox_identity_free(char *text, size_t size);
