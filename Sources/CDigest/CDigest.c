#include "CDigest.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

bool soundbox_sha256(const void *bytes, size_t count, unsigned char digest[SOUNDBOX_SHA256_SIZE]) {
    unsigned int size = 0;
    const bool is_made = EVP_Digest(bytes, count, digest, &size, EVP_sha256(), NULL) == 1;
    if (!is_made) ERR_clear_error();
    return is_made && size == SOUNDBOX_SHA256_SIZE;
}

bool soundbox_hmac_sha256(
    const void *key, size_t key_size, const void *bytes, size_t count, unsigned char code[SOUNDBOX_SHA256_SIZE]
) {
    unsigned int size = 0;
    if (key_size > INT_MAX) return false;
    const bool is_made = HMAC(EVP_sha256(), key, (int)key_size, bytes, count, code, &size) != NULL;
    if (!is_made) ERR_clear_error();
    return is_made && size == SOUNDBOX_SHA256_SIZE;
}

bool soundbox_is_equal(const void *first, const void *second, size_t size) {
    return CRYPTO_memcmp(first, second, size) == 0;
}

int soundbox_base64_decode(const char *text, int count, unsigned char *bytes) {
    return EVP_DecodeBlock(bytes, (const unsigned char *)text, count);
}
