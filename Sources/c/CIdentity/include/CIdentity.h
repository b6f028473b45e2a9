// The box's key and certificate, by OpenSSL's libcrypto: makes a key and a signing request, checks a certificate, and
// opens packages for its owner. Checks what others have signed with RSA keys. Imported only by SoundboxSystem.
//
// Compiled C for the same reason as CTLSClient: most of OpenSSL's headers are macros, which Swift does not import, and
// all decisions about trust are in one place. Swift sees nothing of OpenSSL. Texts end with a zero; returned texts
// belong to the caller, who frees them with `soundbox_identity_free`. No function blocks.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// The result for a certificate or a package.
typedef enum {
    SOUNDBOX_IDENTITY_GOOD,
    /// Not a private key in PEM, or an encrypted one.
    SOUNDBOX_IDENTITY_BAD_KEY,
    /// Not a certificate in PEM.
    SOUNDBOX_IDENTITY_BAD_CERTIFICATE,
    /// Not an issuer's certificate in PEM.
    SOUNDBOX_IDENTITY_BAD_ISSUER,
    /// The certificate is for another key.
    SOUNDBOX_IDENTITY_OTHER_KEY,
    /// Not issued by the issuer.
    SOUNDBOX_IDENTITY_UNTRUSTED,
    /// Not CMS, or not for this key.
    SOUNDBOX_IDENTITY_SEALED,
    /// Opened, but not signed by the issuer.
    SOUNDBOX_IDENTITY_UNSIGNED,
    /// libcrypto has no memory, or lacks an algorithm.
    SOUNDBOX_IDENTITY_FAILED,
} soundbox_identity_verdict;

/// When a certificate is valid, in seconds since 1970.
typedef struct {
    long long not_before, not_after;
} soundbox_identity_validity;

/// A new P-256 private key in PEM (PKCS #8, not encrypted). NULL if libcrypto has no memory or no random numbers.
char *soundbox_identity_make_key(void);

/// A signing request (PKCS #10) for `key` in PEM, with the common name `name` of at most 64 bytes. NULL if `key` is not
/// a private key.
char *soundbox_identity_request(const char *key, const char *name);

/// Checks a certificate in PEM, followed by the intermediate certificates: whether it is for `key`, usable for a TLS
/// client, and issued by `issuer`, which is trusted without a further check. The time does not matter, because a box
/// may not know it.
///
/// - key: NULL accepts the certificate for any key.
/// - issuer: NULL skips the check of the issuer.
/// - validity: set if the certificate can be read.
/// - clean: for a good result, the certificate and its chain to the issuer in PEM, without any other text.
soundbox_identity_verdict soundbox_identity_judge(
    const char *certificate, const char *key, const char *issuer, soundbox_identity_validity *validity, char **clean);

/// Opens a package: CMS EnvelopedData (RFC 5652) in PEM for the owner of the key, around SignedData of the issuer.
///
/// - content: the signed content, `size` bytes, only for a good result.
soundbox_identity_verdict soundbox_identity_open(
    const char *package, const char *certificate, const char *key, const char *issuer, char **content, size_t *size);

/// Overwrites and frees a text of the functions above.
void soundbox_identity_free(char *text, size_t size);

/// Whether a text is a public key or a certificate in PEM, with an RSA key of at least 2,048 bits.
bool soundbox_rsa_is_key(const char *text);

/// Whether a signature of RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017) is that of the owner of the key in `text`.
bool soundbox_rsa_is_signature(
    const char *text, const unsigned char *bytes, size_t count, const unsigned char *signature, size_t size);
