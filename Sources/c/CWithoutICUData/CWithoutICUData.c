#include "CWithoutICUData.h"

/* The header is udata.h's, of the format "CmnD" 1.0; the table of contents behind it is empty. Hidden, so that it takes
   no other library's place where Foundation is linked dynamically. */
#define WITHOUT_DATA(version)                                                                                           \
    __attribute__((visibility("hidden"), aligned(16))) const unsigned char icudt##version##_dat[64] = {                \
        32, 0, 0xda, 0x27, 20, 0, 0, 0, 0, 0, 2, 0, 'C', 'm', 'n', 'D', 1, 0, 0, 0}

/* Whichever ICU the toolchain's Foundation has; 76 in Swift 6.3. The others take 64 bytes each. */
WITHOUT_DATA(72);
WITHOUT_DATA(73);
WITHOUT_DATA(74);
WITHOUT_DATA(75);
WITHOUT_DATA(76);
WITHOUT_DATA(77);
WITHOUT_DATA(78);
WITHOUT_DATA(79);
WITHOUT_DATA(80);
