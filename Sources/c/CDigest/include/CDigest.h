// SHA-256, HMAC with SHA-256 and SHA-512, a comparison in constant time, base64 and AES-256-GCM, by OpenSSL's libcrypto.
// Imported only by SoundboxSystem.
//
// Includes only headers of the language, so that Swift sees six functions and nothing of OpenSSL.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// The sizes of digests and of authentication codes in bytes.
enum { SOUNDBOX_SHA256_SIZE = 32, SOUNDBOX_SHA512_SIZE = 64 };

/// SHA-256 (FIPS 180-4). Returns false if libcrypto has no memory, or is configured without SHA-256.
bool soundbox_sha256(const void *bytes, size_t count, unsigned char digest[SOUNDBOX_SHA256_SIZE]);

/// HMAC-SHA-256 (RFC 2104). Keeps no copy of the key. Returns false like `soundbox_sha256`, and for a key of 2 GiB.
bool soundbox_hmac_sha256(
    const void *key, size_t key_size, const void *bytes, size_t count, unsigned char code[SOUNDBOX_SHA256_SIZE]);

/// HMAC-SHA-512, in the same way.
bool soundbox_hmac_sha512(
    const void *key, size_t key_size, const void *bytes, size_t count, unsigned char code[SOUNDBOX_SHA512_SIZE]);

/// Whether two pieces of memory of the same size are equal. The time depends only on the size.
bool soundbox_is_equal(const void *first, const void *second, size_t size);

/// Encodes bytes as base64 (RFC 4648) into `text`, which has room for four characters for each three bytes, begun ones
/// included, and a zero. Returns the number of characters.
int soundbox_base64_encode(const unsigned char *bytes, int count, unsigned char *text);

/// Decodes base64 (RFC 4648) into `bytes`, which has room for three bytes for each four characters. Returns the number of
/// bytes, those of the padding included; -1 for anything else.
int soundbox_base64_decode(const char *text, int count, unsigned char *bytes);

/// The sizes of a key, a nonce and a tag in bytes.
enum { SOUNDBOX_AES_256_KEY_SIZE = 32, SOUNDBOX_GCM_NONCE_SIZE = 12, SOUNDBOX_GCM_TAG_SIZE = 16 };

/// Decrypts AES-256-GCM (NIST SP 800-38D), with the tag behind the sealed bytes (RFC 5116). `bytes` has room for `size`;
/// without the tag's 16 they are the result. Returns false, and leaves rubbish there, unless the tag is right.
bool soundbox_aes_256_gcm_open(
    const unsigned char key[SOUNDBOX_AES_256_KEY_SIZE], const unsigned char nonce[SOUNDBOX_GCM_NONCE_SIZE],
    const void *associated, size_t associated_size, const unsigned char *sealed, size_t size, unsigned char *bytes);
