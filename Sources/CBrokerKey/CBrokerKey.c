#include "CBrokerKey.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stddef.h>

bool soundbox_handshake_is_over(const void *connection) {
    return connection != NULL && SSL_is_init_finished(connection) == 1;
}

bool soundbox_peer_pin(const void *connection, char pin[SOUNDBOX_PIN_CAPACITY]) {
    X509 *certificate = connection == NULL ? NULL : SSL_get0_peer_certificate(connection);
    if (certificate == NULL) return false;
    unsigned char *key = NULL;
    const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &key);
    if (size <= 0) return false;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    const bool isDigested = EVP_Digest(key, (size_t)size, digest, &length, EVP_sha256(), NULL) == 1;
    OPENSSL_free(key);
    if (!isDigested) return false;
    return EVP_EncodeBlock((unsigned char *)pin, digest, (int)length) == SOUNDBOX_PIN_CAPACITY - 1;
}
