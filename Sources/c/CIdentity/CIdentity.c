#include "CIdentity.h"

#include <limits.h>
// First: cms.h has PEM in it only then.
#include <openssl/pem.h>

#include <openssl/cms.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pemerr.h>
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

/// All certificates of a text, which may hold nothing else in PEM; NULL when one of them is none.
static STACK_OF(X509) *read_certificates(const char *text) {
    STACK_OF(X509) *certificates = sk_X509_new_null();
    BIO *bio = reader(text);
    bool is_good = certificates != NULL && bio != NULL;
    char *name = NULL, *header = NULL;
    unsigned char *bytes = NULL;
    long size = 0;
    while (is_good && PEM_read_bio(bio, &name, &header, &bytes, &size) == 1) {
        const unsigned char *start = bytes;
        X509 *certificate = strcmp(name, PEM_STRING_X509) == 0 ? d2i_X509(NULL, &start, size) : NULL;
        is_good = certificate != NULL && sk_X509_push(certificates, certificate) > 0;
        if (!is_good) X509_free(certificate);
        OPENSSL_free(name);
        OPENSSL_free(header);
        OPENSSL_clear_free(bytes, (size_t)size);
    }
    // Whatever ended it but the end of the text is damage.
    is_good = is_good && sk_X509_num(certificates) > 0 && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    BIO_free(bio);
    if (is_good) return certificates;
    sk_X509_pop_free(certificates, X509_free);
    return NULL;
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

/// The strength that Debian's OpenSSL asks of a connection: a weaker signature would be refused there.
enum { AUTHENTICATION_LEVEL = 2 };

/// - chain: from the box's certificate on, without the issuer.
static soundbox_identity_verdict vouched_for(
    STACK_OF(X509) *certificates, const char *issuer_text, STACK_OF(X509) **chain
) {
    X509 *issuer = read_certificate(issuer_text);
    if (issuer == NULL) return SOUNDBOX_IDENTITY_BAD_ISSUER;
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    soundbox_identity_verdict verdict = SOUNDBOX_IDENTITY_FAILED;
    if (store != NULL && context != NULL && X509_STORE_add_cert(store, issuer) == 1
        && X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_NO_CHECK_TIME) == 1
        && X509_STORE_CTX_init(context, store, sk_X509_value(certificates, 0), certificates) == 1
        && X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_CLIENT) == 1) {
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(context), AUTHENTICATION_LEVEL);
        verdict = X509_verify_cert(context) == 1 ? SOUNDBOX_IDENTITY_GOOD : SOUNDBOX_IDENTITY_UNTRUSTED;
        if (verdict == SOUNDBOX_IDENTITY_GOOD) *chain = X509_STORE_CTX_get1_chain(context);
        if (*chain != NULL && sk_X509_num(*chain) > 1) X509_free(sk_X509_pop(*chain));
    }
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    X509_free(issuer);
    return verdict;
}

static char *written_certificates(STACK_OF(X509) *certificates) {
    BIO *written = BIO_new(BIO_s_mem());
    size_t size = 0;
    bool is_good = written != NULL && certificates != NULL;
    for (int index = 0; is_good && index < sk_X509_num(certificates); index++) {
        is_good = PEM_write_bio_X509(written, sk_X509_value(certificates, index)) == 1;
    }
    char *text = is_good ? taken(written, &size) : NULL;
    BIO_free(written);
    return text;
}

soundbox_identity_verdict soundbox_identity_judge(
    const char *text, const char *key_text, const char *issuer_text, soundbox_identity_validity *validity, char **clean
) {
    ERR_clear_error();
    soundbox_identity_verdict verdict = SOUNDBOX_IDENTITY_GOOD;
    STACK_OF(X509) *certificates = read_certificates(text);
    STACK_OF(X509) *chain = NULL;
    X509 *own = certificates == NULL ? NULL : sk_X509_value(certificates, 0);
    if (own == NULL || !read_time(X509_get0_notBefore(own), &validity->not_before)
        || !read_time(X509_get0_notAfter(own), &validity->not_after)) {
        verdict = SOUNDBOX_IDENTITY_BAD_CERTIFICATE;
    }
    if (verdict == SOUNDBOX_IDENTITY_GOOD && key_text != NULL) {
        EVP_PKEY *key = read_key(key_text);
        if (key == NULL) {
            verdict = SOUNDBOX_IDENTITY_BAD_KEY;
        } else if (X509_check_private_key(own, key) != 1) {
            verdict = SOUNDBOX_IDENTITY_OTHER_KEY;
        }
        EVP_PKEY_free(key);
    }
    if (verdict == SOUNDBOX_IDENTITY_GOOD && issuer_text != NULL) {
        verdict = vouched_for(certificates, issuer_text, &chain);
    }
    if (verdict == SOUNDBOX_IDENTITY_GOOD) {
        *clean = written_certificates(chain == NULL ? certificates : chain);
        if (*clean == NULL) verdict = SOUNDBOX_IDENTITY_FAILED;
    }
    sk_X509_pop_free(chain, X509_free);
    sk_X509_pop_free(certificates, X509_free);
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

// MARK: Others' signatures

/// What RSA signatures need by NIST SP 800-57 until 2030, and what Alipay (RSA2) and WeChat Pay prescribe.
enum { LEAST_RSA_BITS = 2048 };

/// The RSA key in a public key or certificate, or NULL.
static EVP_PKEY *read_rsa_key(const char *text) {
    BIO *bio = reader(text);
    EVP_PKEY *key = bio == NULL ? NULL : PEM_read_bio_PUBKEY(bio, NULL, no_passphrase, NULL);
    BIO_free(bio);
    X509 *certificate = key == NULL ? read_certificate(text) : NULL;
    if (certificate != NULL) key = X509_get_pubkey(certificate);
    X509_free(certificate);
    if (key != NULL && EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA && EVP_PKEY_get_bits(key) >= LEAST_RSA_BITS) return key;
    EVP_PKEY_free(key);
    return NULL;
}

bool soundbox_rsa_is_key(const char *text) {
    EVP_PKEY *key = read_rsa_key(text);
    const bool is_key = key != NULL;
    EVP_PKEY_free(key);
    ERR_clear_error();
    return is_key;
}

bool soundbox_rsa_is_signature(
    const char *text, const unsigned char *bytes, size_t count, const unsigned char *signature, size_t size
) {
    EVP_PKEY *key = read_rsa_key(text);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    const bool is_good = key != NULL && context != NULL
        && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1
        && EVP_DigestVerify(context, signature, size, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return is_good;
}
