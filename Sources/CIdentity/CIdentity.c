#include "CIdentity.h"

#include <limits.h>
// First: cms.h has PEM in it only then.
#include <openssl/pem.h>

#include <openssl/cms.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

// MARK: Texts

static BIO *reader(const char *text) {
    const size_t size = strlen(text);
    return size > INT_MAX ? NULL : BIO_new_mem_buf(text, (int)size);
}

/// What was written, as bytes of their own with a zero behind them.
static char *taken(BIO *written, size_t *size) {
    char *bytes = NULL;
    const long count = BIO_get_mem_data(written, &bytes);
    char *copy = count < 0 ? NULL : OPENSSL_malloc((size_t)count + 1);
    if (copy == NULL) return NULL;
    if (count > 0) memcpy(copy, bytes, (size_t)count);
    copy[count] = 0;
    *size = (size_t)count;
    return copy;
}

static int no_passphrase(char *buffer, int size, int is_writing, void *data) {
    (void)buffer, (void)size, (void)is_writing, (void)data;
    return -1;
}

static EVP_PKEY *read_key(const char *text) {
    BIO *bio = reader(text);
    EVP_PKEY *key = bio == NULL ? NULL : PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL);
    BIO_free(bio);
    return key;
}

static X509 *read_certificate(const char *text) {
    BIO *bio = reader(text);
    X509 *certificate = bio == NULL ? NULL : PEM_read_bio_X509(bio, NULL, no_passphrase, NULL);
    BIO_free(bio);
    return certificate;
}

/// Those behind the first one.
static STACK_OF(X509) *read_others(const char *text) {
    STACK_OF(X509) *others = sk_X509_new_null();
    BIO *bio = reader(text);
    X509 *first = bio == NULL ? NULL : PEM_read_bio_X509(bio, NULL, no_passphrase, NULL);
    while (first != NULL && others != NULL) {
        X509 *next = PEM_read_bio_X509(bio, NULL, no_passphrase, NULL);
        if (next == NULL) break;
        if (sk_X509_push(others, next) <= 0) X509_free(next);
    }
    X509_free(first);
    BIO_free(bio);
    return others;
}

void soundbox_identity_free(char *text, size_t size) {
    if (text != NULL) OPENSSL_clear_free(text, size + 1);
    ERR_clear_error();
}

// MARK: Key and request

char *soundbox_identity_make_key(void) {
    EVP_PKEY *key = EVP_EC_gen("P-256");
    BIO *written = BIO_new(BIO_s_secmem());
    size_t size = 0;
    char *text = NULL;
    if (key != NULL && written != NULL && PEM_write_bio_PKCS8PrivateKey(written, key, NULL, NULL, 0, NULL, NULL) == 1) {
        text = taken(written, &size);
    }
    BIO_free(written);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return text;
}

char *soundbox_identity_request(const char *key_text, const char *name) {
    EVP_PKEY *key = read_key(key_text);
    X509_REQ *request = X509_REQ_new();
    BIO *written = BIO_new(BIO_s_mem());
    size_t size = 0;
    char *text = NULL;
    if (key != NULL && request != NULL && written != NULL
        && X509_NAME_add_entry_by_NID(
               X509_REQ_get_subject_name(request), NID_commonName, MBSTRING_UTF8, (const unsigned char *)name, -1, -1, 0)
               == 1
        && X509_REQ_set_pubkey(request, key) == 1 && X509_REQ_sign(request, key, EVP_sha256()) > 0
        && PEM_write_bio_X509_REQ(written, request) == 1) {
        text = taken(written, &size);
    }
    BIO_free(written);
    X509_REQ_free(request);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return text;
}

// MARK: Judging

static bool read_time(const ASN1_TIME *time, long long *seconds) {
    struct tm parts;
    if (ASN1_TIME_to_tm(time, &parts) != 1) return false;
    *seconds = timegm(&parts);
    return true;
}

static soundbox_identity_verdict vouched_for(X509 *certificate, STACK_OF(X509) *others, const char *issuer_text) {
    X509 *issuer = read_certificate(issuer_text);
    if (issuer == NULL) return SOUNDBOX_IDENTITY_BAD_ISSUER;
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    soundbox_identity_verdict verdict = SOUNDBOX_IDENTITY_FAILED;
    if (store != NULL && context != NULL && X509_STORE_add_cert(store, issuer) == 1
        && X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_NO_CHECK_TIME) == 1
        && X509_STORE_CTX_init(context, store, certificate, others) == 1
        && X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_CLIENT) == 1) {
        verdict = X509_verify_cert(context) == 1 ? SOUNDBOX_IDENTITY_GOOD : SOUNDBOX_IDENTITY_UNTRUSTED;
    }
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    X509_free(issuer);
    return verdict;
}

soundbox_identity_verdict soundbox_identity_judge(
    const char *certificate_text, const char *key_text, const char *issuer_text, soundbox_identity_validity *validity
) {
    soundbox_identity_verdict verdict = SOUNDBOX_IDENTITY_GOOD;
    X509 *certificate = read_certificate(certificate_text);
    if (certificate == NULL || !read_time(X509_get0_notBefore(certificate), &validity->not_before)
        || !read_time(X509_get0_notAfter(certificate), &validity->not_after)) {
        verdict = SOUNDBOX_IDENTITY_BAD_CERTIFICATE;
    }
    if (verdict == SOUNDBOX_IDENTITY_GOOD && key_text != NULL) {
        EVP_PKEY *key = read_key(key_text);
        if (key == NULL) {
            verdict = SOUNDBOX_IDENTITY_BAD_KEY;
        } else if (X509_check_private_key(certificate, key) != 1) {
            verdict = SOUNDBOX_IDENTITY_OTHER_KEY;
        }
        EVP_PKEY_free(key);
    }
    if (verdict == SOUNDBOX_IDENTITY_GOOD && issuer_text != NULL) {
        STACK_OF(X509) *others = read_others(certificate_text);
        verdict = vouched_for(certificate, others, issuer_text);
        sk_X509_pop_free(others, X509_free);
    }
    X509_free(certificate);
    ERR_clear_error();
    return verdict;
}

// MARK: Packages

/// The signed bytes in an envelope, or NULL.
static CMS_ContentInfo *unsealed(CMS_ContentInfo *envelope, EVP_PKEY *key, X509 *certificate) {
    BIO *inner = BIO_new(BIO_s_secmem());
    CMS_ContentInfo *content = NULL;
    if (inner != NULL && CMS_decrypt(envelope, key, certificate, NULL, inner, CMS_BINARY) == 1) {
        content = d2i_CMS_bio(inner, NULL);
    }
    BIO_free(inner);
    return content;
}

/// Only the issuer's own signature counts: certificates that come along are not looked at.
static bool is_signed(CMS_ContentInfo *content, X509 *issuer, BIO *written) {
    STACK_OF(X509) *signers = sk_X509_new_null();
    const bool is_good = signers != NULL && sk_X509_push(signers, issuer) > 0
        && CMS_verify(
               content, signers, NULL, NULL, written, CMS_BINARY | CMS_NOINTERN | CMS_NO_SIGNER_CERT_VERIFY) == 1;
    sk_X509_free(signers);
    return is_good;
}

soundbox_identity_verdict soundbox_identity_open(
    const char *package_text, const char *certificate_text, const char *key_text, const char *issuer_text,
    char **content, size_t *size
) {
    soundbox_identity_verdict verdict = SOUNDBOX_IDENTITY_SEALED;
    BIO *bio = reader(package_text);
    CMS_ContentInfo *envelope = bio == NULL ? NULL : PEM_read_bio_CMS(bio, NULL, no_passphrase, NULL);
    X509 *certificate = read_certificate(certificate_text);
    EVP_PKEY *key = read_key(key_text);
    X509 *issuer = read_certificate(issuer_text);
    BIO *written = BIO_new(BIO_s_secmem());
    CMS_ContentInfo *inner = NULL;
    if (written == NULL) {
        verdict = SOUNDBOX_IDENTITY_FAILED;
    } else if (issuer == NULL) {
        verdict = SOUNDBOX_IDENTITY_BAD_ISSUER;
    } else if (envelope != NULL && certificate != NULL && key != NULL) {
        inner = unsealed(envelope, key, certificate);
    }
    if (inner != NULL) {
        verdict = SOUNDBOX_IDENTITY_UNSIGNED;
        if (is_signed(inner, issuer, written)) {
            *content = taken(written, size);
            verdict = *content == NULL ? SOUNDBOX_IDENTITY_FAILED : SOUNDBOX_IDENTITY_GOOD;
        }
    }
    CMS_ContentInfo_free(inner);
    BIO_free(written);
    X509_free(issuer);
    EVP_PKEY_free(key);
    X509_free(certificate);
    CMS_ContentInfo_free(envelope);
    BIO_free(bio);
    ERR_clear_error();
    return verdict;
}
