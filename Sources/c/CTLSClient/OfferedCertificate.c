#include "CTLSClient.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <string.h>
#include <time.h>

struct look {
    soundbox_offered_certificate *certificate;
    void (*visit)(void *context, const char *name, size_t size);
    void *context;
    bool is_read;
};

static bool read_time(const ASN1_TIME *time, long long *seconds) {
    struct tm parts;
    if (ASN1_TIME_to_tm(time, &parts) != 1) return false;
    *seconds = timegm(&parts);
    return true;
}

static void tell_name(const struct look *look, const GENERAL_NAME *name) {
    int type = 0;
    const ASN1_STRING *value = GENERAL_NAME_get0_value(name, &type);
    if (type != GEN_DNS && type != GEN_IPADD) return;
    const unsigned char *bytes = ASN1_STRING_get0_data(value);
    const int size = ASN1_STRING_length(value);
    if (type == GEN_DNS) {
        look->visit(look->context, (const char *)bytes, (size_t)size);
        return;
    }
    char text[INET6_ADDRSTRLEN];
    if (size != 4 && size != 16) return;
    if (inet_ntop(size == 4 ? AF_INET : AF_INET6, bytes, text, sizeof text) != NULL) {
        look->visit(look->context, text, strlen(text));
    }
}

/// Stands in the place of OpenSSL's verification: reads what is offered, and refuses it.
static int read_and_refuse(X509_STORE_CTX *context, void *argument) {
    struct look *look = argument;
    const X509 *offered = X509_STORE_CTX_get0_cert(context);
    if (offered == NULL || !read_time(X509_get0_notBefore(offered), &look->certificate->not_before) ||
        !read_time(X509_get0_notAfter(offered), &look->certificate->not_after)) {
        return 0;
    }
    GENERAL_NAMES *names = X509_get_ext_d2i(offered, NID_subject_alt_name, NULL, NULL);
    for (int index = 0; index < sk_GENERAL_NAME_num(names); index++) {
        tell_name(look, sk_GENERAL_NAME_value(names, index));
    }
    GENERAL_NAMES_free(names);
    look->is_read = true;
    return 0;
}

static long long milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/// Returns false when the time is over, or waiting fails.
static bool wait_for(int socket, short events, long long deadline) {
    while (true) {
        const long long left = deadline - milliseconds_now();
        if (left <= 0) return false;
        struct pollfd waited = {.fd = socket, .events = events};
        const int count = poll(&waited, 1, (int)left);
        if (count > 0) return true;
        if (count < 0 && errno != EINTR) return false;
    }
}

static void shake_hands(SSL *ssl, int socket, long long deadline) {
    while (milliseconds_now() < deadline) {
        const int result = SSL_do_handshake(ssl);
        if (result == 1) return;
        switch (SSL_get_error(ssl, result)) {
        case SSL_ERROR_WANT_READ:
            if (!wait_for(socket, POLLIN, deadline)) return;
            break;
        case SSL_ERROR_WANT_WRITE:
            if (!wait_for(socket, POLLOUT, deadline)) return;
            break;
        default: return;
        }
    }
}

bool soundbox_look_at_certificate(
    int socket, const char *host, int milliseconds, soundbox_offered_certificate *certificate,
    void (*visit)(void *context, const char *name, size_t size), void *context
) {
    struct look look = {.certificate = certificate, .visit = visit, .context = context};
    const long long deadline = milliseconds_now() + milliseconds;
    SSL_CTX *settings = SSL_CTX_new(TLS_client_method());
    SSL *ssl = NULL;
    if (settings != NULL && SSL_CTX_set_min_proto_version(settings, TLS1_2_VERSION) == 1) {
        SSL_CTX_set_verify(settings, SSL_VERIFY_PEER, NULL);
        SSL_CTX_set_cert_verify_callback(settings, read_and_refuse, &look);
        ssl = SSL_new(settings);
    }
    unsigned char address[sizeof(struct in6_addr)];
    // An address is no server name (RFC 6066, section 3).
    const bool is_address = inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1;
    if (ssl != NULL && SSL_set_fd(ssl, socket) == 1 && (is_address || SSL_set_tlsext_host_name(ssl, host) == 1)) {
        SSL_set_connect_state(ssl);
        shake_hands(ssl, socket, deadline);
    }
    SSL_free(ssl);
    SSL_CTX_free(settings);
    ERR_clear_error();
    return look.is_read;
}
