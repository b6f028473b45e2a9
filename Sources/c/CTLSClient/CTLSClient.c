#include "CTLSClient.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct soundbox_tls {
    SSL_CTX *context;
    // What the certificate must be made out to; `names_server` unless it is an address.
    char *host;
    bool names_server;
    char *pins;
    // Why the broker was refused, once it was.
    soundbox_tls_error refusal;
};

// MARK: Errors

static void fail(soundbox_tls_error *error, soundbox_tls_failure failure, const char *text) {
    error->failure = failure;
    snprintf(error->text, sizeof error->text, "%s", text == NULL ? "" : text);
}

/// Takes the text from `code`. About files, OpenSSL's last error says most; about connections, its first.
static void fail_by_queue(soundbox_tls_error *error, soundbox_tls_failure failure, unsigned long code) {
    const char *text = ERR_reason_error_string(code);
    fail(error, failure, text == NULL && code != 0 ? "an error that OpenSSL has no words for" : text);
    ERR_clear_error();
}

/// By the verdict of the verification (X509_STORE_CTX_get_error(3)). OpenSSL finds a missing authority first, then weak
/// keys and signatures, then another host, then dates.
static soundbox_tls_failure distrust(long verdict) {
    switch (verdict) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: return SOUNDBOX_TLS_MISSING_ISSUER;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: return SOUNDBOX_TLS_UNKNOWN_AUTHORITY;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: return SOUNDBOX_TLS_SELF_SIGNED;
    case X509_V_ERR_CERT_NOT_YET_VALID: return SOUNDBOX_TLS_NOT_YET_VALID;
    case X509_V_ERR_CERT_HAS_EXPIRED: return SOUNDBOX_TLS_EXPIRED;
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL: return SOUNDBOX_TLS_WEAK_KEY;
    case X509_V_ERR_CA_MD_TOO_WEAK: return SOUNDBOX_TLS_WEAK_SIGNATURE;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return SOUNDBOX_TLS_OTHER_HOST;
    default: return SOUNDBOX_TLS_UNTRUSTED;
    }
}

/// Writes who issued the last certificate of the chain, as far as it could be built.
static void name_last_issuer(X509_STORE_CTX *verification, char *text, size_t capacity) {
    const STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(verification);
    const X509 *last = sk_X509_value(chain, sk_X509_num(chain) - 1);
    BIO *memory = BIO_new(BIO_s_mem());
    text[0] = 0;
    if (last != NULL && memory != NULL &&
        X509_NAME_print_ex(memory, X509_get_issuer_name(last), 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0) {
        const int size = BIO_read(memory, text, (int)capacity - 1);
        text[size > 0 ? size : 0] = 0;
    }
    BIO_free(memory);
    ERR_clear_error();
}

void soundbox_tls_explain(unsigned long code, soundbox_tls_error *error) {
    switch (ERR_GET_REASON(code)) {
    case SSL_R_UNEXPECTED_EOF_WHILE_READING: return fail(error, SOUNDBOX_TLS_CLOSED, NULL);
    case SSL_R_WRONG_VERSION_NUMBER: return fail(error, SOUNDBOX_TLS_NOT_TLS, NULL);
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: return fail(error, SOUNDBOX_TLS_WANTS_CERTIFICATE, NULL);
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_UNSUPPORTED_PROTOCOL: return fail(error, SOUNDBOX_TLS_OLD_VERSION, NULL);
    default: fail_by_queue(error, SOUNDBOX_TLS_OTHER, code);
    }
}

// MARK: Who the broker is

/// Writes the SHA-256 of the certificate's SubjectPublicKeyInfo (RFC 7469, section 2.4) in base64.
static bool write_pin(const X509 *certificate, char pin[SOUNDBOX_PIN_CAPACITY]) {
    unsigned char *key = NULL;
    const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &key);
    if (size <= 0) return false;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    const bool is_digested = EVP_Digest(key, (size_t)size, digest, &length, EVP_sha256(), NULL) == 1;
    OPENSSL_free(key);
    if (!is_digested) return false;
    return EVP_EncodeBlock((unsigned char *)pin, digest, (int)length) == SOUNDBOX_PIN_CAPACITY - 1;
}

/// Stands in the place of OpenSSL's verification: does that, and then looks at the pin. OpenSSL calls it while it reads
/// the broker's certificate, before any byte of MQTT can be read or written.
static int verify(X509_STORE_CTX *verification, void *argument) {
    soundbox_tls *tls = argument;
    if (X509_verify_cert(verification) != 1) {
        const long verdict = X509_STORE_CTX_get_error(verification);
        fail(&tls->refusal, distrust(verdict), X509_verify_cert_error_string(verdict));
        if (tls->refusal.failure == SOUNDBOX_TLS_MISSING_ISSUER ||
            tls->refusal.failure == SOUNDBOX_TLS_UNKNOWN_AUTHORITY) {
            name_last_issuer(verification, tls->refusal.text, sizeof tls->refusal.text);
        }
        return 0;
    }
    if (tls->pins[0] == 0) return 1;
    const X509 *offered = X509_STORE_CTX_get0_cert(verification);
    char pin[SOUNDBOX_PIN_CAPACITY] = "";
    if (offered != NULL && write_pin(offered, pin) && strstr(tls->pins, pin) != NULL) return 1;
    fail(&tls->refusal, SOUNDBOX_TLS_UNKNOWN_KEY, pin);
    X509_STORE_CTX_set_error(verification, X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
}

/// libmosquitto asks for the server by the address that it was told to dial. This asks for it by its name, or, since an
/// address is no server name (RFC 6066, section 3), by none.
static void name_server(const SSL *ssl, int where, int value) {
    (void)value;
    if (!(where & SSL_CB_HANDSHAKE_START)) return;
    const soundbox_tls *tls = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    SSL_set_tlsext_host_name((SSL *)ssl, tls->names_server ? tls->host : NULL);
}

// MARK: Making a context

static int no_passphrase(char *buffer, int size, int is_writing, void *is_wanted) {
    (void)buffer, (void)size, (void)is_writing;
    *(bool *)is_wanted = true;
    return -1;
}

/// About the box's own certificate.
static void fail_by_weakness(soundbox_tls_error *error, unsigned long code) {
    fail_by_queue(error, SOUNDBOX_TLS_BAD_CERTIFICATE, code);
    switch (ERR_GET_REASON(code)) {
    case SSL_R_EE_KEY_TOO_SMALL:
    case SSL_R_CA_KEY_TOO_SMALL:
        return fail(error, SOUNDBOX_TLS_BAD_CERTIFICATE, "its key is too short; RSA needs 2048 bits");
    case SSL_R_CA_MD_TOO_WEAK:
        return fail(
            error, SOUNDBOX_TLS_BAD_CERTIFICATE,
            "it is signed with an outdated hash such as SHA-1; SHA-256 is needed");
    }
}

static bool configure(
    SSL_CTX *context, const char *authorities, const char *certificate, const char *key, soundbox_tls_error *error
) {
    bool wants_passphrase = false;
    SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    SSL_CTX_set_default_passwd_cb_userdata(context, &wants_passphrase);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(
        context,
        SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    // A call returns after each record, so that a flood of empty records cannot hold the caller.
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
        fail_by_queue(error, SOUNDBOX_TLS_OTHER, ERR_peek_error());
        return false;
    }
    const int found = authorities == NULL ? SSL_CTX_load_verify_dir(context, "/etc/ssl/certs")
                                          : SSL_CTX_load_verify_file(context, authorities);
    if (found != 1) {
        fail_by_queue(error, SOUNDBOX_TLS_BAD_AUTHORITIES, ERR_peek_last_error());
        return false;
    }
    if (certificate != NULL && SSL_CTX_use_certificate_chain_file(context, certificate) != 1) {
        fail_by_weakness(error, ERR_peek_last_error());
        return false;
    }
    // This also finds a key that does not belong to the certificate.
    if (key != NULL && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) {
        fail_by_queue(error, SOUNDBOX_TLS_BAD_KEY, ERR_peek_last_error());
        if (wants_passphrase) {
            fail(
                error, SOUNDBOX_TLS_BAD_KEY,
                "it has a passphrase, which the box cannot type; write it without one: openssl pkey -in OLD -out NEW");
        }
        return false;
    }
    return true;
}

static bool prepare(soundbox_tls *tls, soundbox_tls_error *error) {
    X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(tls->context);
    tls->names_server = X509_VERIFY_PARAM_set1_ip_asc(parameters, tls->host) != 1;
    ERR_clear_error();
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (tls->names_server && X509_VERIFY_PARAM_set1_host(parameters, tls->host, 0) != 1) {
        fail_by_queue(error, SOUNDBOX_TLS_OTHER, ERR_peek_error());
        return false;
    }
    SSL_CTX_set_app_data(tls->context, tls);
    SSL_CTX_set_verify(tls->context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_cert_verify_callback(tls->context, verify, tls);
    SSL_CTX_set_info_callback(tls->context, name_server);
    return true;
}

soundbox_tls *soundbox_tls_new(
    const char *host, const char *authorities, const char *certificate, const char *key, const char *pins,
    soundbox_tls_error *error
) {
    ERR_clear_error();
    soundbox_tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL || (tls->context = SSL_CTX_new(TLS_client_method())) == NULL ||
        (tls->host = strdup(host)) == NULL || (tls->pins = strdup(pins)) == NULL) {
        fail(error, SOUNDBOX_TLS_OTHER, "no memory");
    } else if (configure(tls->context, authorities, certificate, key, error) && prepare(tls, error)) {
        return tls;
    }
    soundbox_tls_free(tls);
    return NULL;
}

void soundbox_tls_free(soundbox_tls *tls) {
    if (tls == NULL) return;
    SSL_CTX_free(tls->context);
    free(tls->host);
    free(tls->pins);
    free(tls);
}

void *soundbox_tls_context(const soundbox_tls *tls) { return tls->context; }

bool soundbox_tls_has_refused(const soundbox_tls *tls, soundbox_tls_error *error) {
    *error = tls->refusal;
    return tls->refusal.failure != SOUNDBOX_TLS_NO_FAILURE;
}

// MARK: A connection of libmosquitto's

bool soundbox_tls_shakes_hands(const void *ssl) { return SSL_is_init_finished(ssl) == 0; }

bool soundbox_tls_waits_to_write(const void *ssl) { return SSL_want_write((const SSL *)ssl); }

bool soundbox_tls_has_unread(const void *ssl) { return SSL_pending(ssl) > 0; }
