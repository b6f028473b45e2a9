#include "Library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

void soundbox_http_fail(soundbox_http_error *error, soundbox_http_failure failure, int code, const char *text) {
    error->failure = failure;
    error->code = code;
    snprintf(error->text, sizeof error->text, "%s", text == NULL ? "" : text);
    // Some of it is what the other side said.
    for (char *byte = error->text; *byte != '\0'; byte++) {
        if ((unsigned char)*byte < ' ' || *byte == 0x7F) *byte = ' ';
    }
}

static bool find_functions(void *handle, struct curl_library *library, soundbox_http_error *error) {
    const char *missing = NULL;
#define F(name) \
    if ((library->name = (__typeof__(library->name))dlsym(handle, #name)) == NULL) missing = #name;
    SOUNDBOX_CURL_FUNCTIONS(F)
#undef F
    if (missing == NULL) return true;
    char text[sizeof error->text];
    snprintf(text, sizeof text, "libcurl lacks %s; expected version 7.85 or later", missing);
    soundbox_http_fail(error, SOUNDBOX_HTTP_NO_LIBRARY, 0, text);
    return false;
}

const struct curl_library *soundbox_open_curl(const char *name, soundbox_http_error *error) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static void *opened;
    static struct curl_library library;

    // RTLD_LOCAL: what it brings along is nobody else's.
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        char text[sizeof error->text];
        const char *reason = dlerror();
        snprintf(
            text, sizeof text, "%s; on Debian: sudo apt install libcurl4", reason == NULL ? name : reason);
        soundbox_http_fail(error, SOUNDBOX_HTTP_NO_LIBRARY, 0, text);
        return NULL;
    }
    pthread_mutex_lock(&mutex);
    struct curl_library found;
    const bool is_new = handle != opened;
    // curl_global_init(3) once, and by one thread.
    if (is_new && find_functions(handle, &found, error)) {
        const CURLcode code = found.curl_global_init(CURL_GLOBAL_DEFAULT);
        if (code == CURLE_OK) {
            library = found;
            opened = handle;
        } else {
            soundbox_http_fail(error, SOUNDBOX_HTTP_NO_LIBRARY, 0, found.curl_easy_strerror(code));
        }
    }
    const bool is_open = handle == opened;
    pthread_mutex_unlock(&mutex);
    // The first one to open it keeps it open.
    if (!is_new || !is_open) dlclose(handle);
    return is_open ? &library : NULL;
}
