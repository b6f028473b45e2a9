// SHA-256, HMAC-SHA-256, a comparison in constant time and base64, by OpenSSL's libcrypto. Imported only by SoundboxSystem.
//
// Includes only headers of the language, so that Swift sees four functions and nothing of OpenSSL.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// The size of a digest and of an authentication code in bytes.
enum { SOUNDBOX_SHA256_SIZE = 32 };

/// SHA-256 (FIPS 180-4). Returns false if libcrypto has no memory, or is configured without SHA-256.
bool soundbox_sha256(const void *bytes, size_t count, unsigned char digest[SOUNDBOX_SHA256_SIZE]);

/// HMAC-SHA-256 (RFC 2104). Keeps no copy of the key. Returns false like `soundbox_sha256`, and for a key of 2 GiB.
bool soundbox_hmac_sha256(
    const void *key, size_t key_size, const void *bytes, size_t count, unsigned char code[SOUNDBOX_SHA256_SIZE]);

/// Whether two pieces of memory of the same size are equal. The time depends only on the size.
bool soundbox_is_equal(const void *first, const void *second, size_t size);

/// Decodes base64 (RFC 4648) into `bytes`, which has room for three bytes for each four characters. Returns the number of
/// bytes, those of the padding included; -1 for anything else.
int soundbox_base64_decode(const char *text, int count, unsigned char *bytes);
