#include "CDigest.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

bool soundbox_sha256(const void *bytes, size_t count, unsigned char digest[SOUNDBOX_SHA256_SIZE]) {
    unsigned int size = 0;
    const bool is_made = EVP_Digest(bytes, count, digest, &size, EVP_sha256(), NULL) == 1;
    if (!is_made) ERR_clear_error();
    return is_made && size == SOUNDBOX_SHA256_SIZE;
}

static bool make_hmac(
    const EVP_MD *hash, unsigned int hash_size, const void *key, size_t key_size, const void *bytes, size_t count,
    unsigned char *code
) {
    unsigned int size = 0;
    if (key_size > INT_MAX) return false;
    const bool is_made = HMAC(hash, key, (int)key_size, bytes, count, code, &size) != NULL;
    if (!is_made) ERR_clear_error();
    return is_made && size == hash_size;
}

bool soundbox_hmac_sha256(
    const void *key, size_t key_size, const void *bytes, size_t count, unsigned char code[SOUNDBOX_SHA256_SIZE]
) {
    return make_hmac(EVP_sha256(), SOUNDBOX_SHA256_SIZE, key, key_size, bytes, count, code);
}

bool soundbox_hmac_sha512(
    const void *key, size_t key_size, const void *bytes, size_t count, unsigned char code[SOUNDBOX_SHA512_SIZE]
) {
    return make_hmac(EVP_sha512(), SOUNDBOX_SHA512_SIZE, key, key_size, bytes, count, code);
}

bool soundbox_is_equal(const void *first, const void *second, size_t size) {
    return CRYPTO_memcmp(first, second, size) == 0;
}

int soundbox_base64_encode(const unsigned char *bytes, int count, unsigned char *text) {
    return EVP_EncodeBlock(text, bytes, count);
}

int soundbox_base64_decode(const char *text, int count, unsigned char *bytes) {
    return EVP_DecodeBlock(bytes, (const unsigned char *)text, count);
}

bool soundbox_aes_256_gcm_open(
    const unsigned char key[SOUNDBOX_AES_256_KEY_SIZE], const unsigned char nonce[SOUNDBOX_GCM_NONCE_SIZE],
    const void *associated, size_t associated_size, const unsigned char *sealed, size_t size, unsigned char *bytes
) {
    if (size < SOUNDBOX_GCM_TAG_SIZE || size > INT_MAX || associated_size > INT_MAX) return false;
    const int sealed_size = (int)size - SOUNDBOX_GCM_TAG_SIZE;
    unsigned char tag[SOUNDBOX_GCM_TAG_SIZE];
    memcpy(tag, sealed + sealed_size, sizeof tag);
    int count = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    const bool is_opened = context != NULL && EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1
        && EVP_DecryptUpdate(context, NULL, &count, associated, (int)associated_size) == 1
        && EVP_DecryptUpdate(context, bytes, &count, sealed, sealed_size) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag) == 1
        && EVP_DecryptFinal_ex(context, bytes + sealed_size, &count) == 1;
    EVP_CIPHER_CTX_free(context);
    if (!is_opened) ERR_clear_error();
    return is_opened;
}
