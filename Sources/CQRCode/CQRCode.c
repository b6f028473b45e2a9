#include "CQRCode.h"

#include <dlfcn.h>
#include <stdlib.h>

// As qrencode.h of version 4 has them; Debian's soname is libqrencode.so.4.
struct code {
    int version;
    int width;
    unsigned char *data;
};
enum { LEVEL_MEDIUM = 1, MODE_BYTES = 2, CASE_SENSITIVE = 1, SMALLEST = 0 };

unsigned char *soundbox_qr_code(const char *text, size_t *width) {
    unsigned char *modules = NULL;
    void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return NULL;
    struct code *(*encode)(const char *, int, int, int, int);
    void (*release)(struct code *);
    encode = (__typeof__(encode))dlsym(library, "QRcode_encodeString");
    release = (__typeof__(release))dlsym(library, "QRcode_free");
    struct code *code =
        encode == NULL || release == NULL ? NULL : encode(text, SMALLEST, LEVEL_MEDIUM, MODE_BYTES, CASE_SENSITIVE);
    if (code != NULL) {
        const size_t count = (size_t)code->width * (size_t)code->width;
        modules = malloc(count);
        // The lowest bit is the colour; the others say what a module is for.
        for (size_t i = 0; modules != NULL && i < count; i++) modules[i] = code->data[i] & 1;
        *width = (size_t)code->width;
        release(code);
    }
    dlclose(library);
    return modules;
}
