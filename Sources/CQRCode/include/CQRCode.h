// QR codes by libqrencode, which is opened by its name when somebody wants one and is not linked: a box that shows none
// needs no such library.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// The code of a text, one byte for each module, row by row: 1 is dark.
//
// - width: set to the modules of a side.
//
// Returns NULL where there is no libqrencode, or the text is too long. The caller frees the bytes with free(3). Any thread.
unsigned char *soundbox_qr_code(const char *text, size_t *width);
