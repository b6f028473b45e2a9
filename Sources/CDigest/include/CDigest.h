// SHA-256, HMAC-SHA-256 and a comparison in constant time, by OpenSSL's libcrypto. Its one importer is SoundboxSystem.
//
// No header is included here that is not the language's own: Swift sees three functions, and nothing of OpenSSL.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// The bytes of a digest, and of an authentication code.
enum { SOUNDBOX_SHA256_SIZE = 32 };

/// SHA-256 (FIPS 180-4). Returns false when libcrypto has no memory, or is configured to offer no SHA-256.
bool soundbox_sha256(const void *bytes, size_t count, unsigned char digest[SOUNDBOX_SHA256_SIZE]);

/// HMAC-SHA-256 (RFC 2104). Keeps no copy of the key. Returns false as `soundbox_sha256` does, and for a key of 2 GiB.
bool soundbox_hmac_sha256(
    const void *key, size_t key_size, const void *bytes, size_t count, unsigned char code[SOUNDBOX_SHA256_SIZE]);

/// Whether two pieces of memory of the same size hold the same. Takes a time that depends on nothing but the size.
bool soundbox_is_equal(const void *first, const void *second, size_t size);
