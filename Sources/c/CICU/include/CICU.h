// ICU's number spelling and regular expressions for Swift: for the voice author's program and for benchmarks.
//
// Compiled C and not a module map over ICU's headers, for two reasons. ICU adds its version to the name of each
// function (unum_open is unum_open_72 on Debian 12) by a macro, which Swift does not import. And Foundation has headers
// of its own ICU, whose types have the same names and other definitions, so a Swift module cannot import both. Here
// Swift sees neither.
//
// Texts are UTF-16 with their length. `code` receives an ICU code: above zero is a failure, below a warning.
#pragma once
#include <stdint.h>

typedef struct soundbox_icu_speller soundbox_icu_speller;
typedef struct soundbox_icu_regex soundbox_icu_regex;

/// ICU's major version, such as 72.
int32_t soundbox_icu_version(void);

/// ICU's name for a code, such as U_ILLEGAL_ARGUMENT_ERROR.
const char *soundbox_icu_error_name(int32_t code);

/// Opens a speller of numbers. `locale` is ICU's name, such as zh_Hant.
soundbox_icu_speller *soundbox_icu_speller_open(const char *locale, int32_t *code);
void soundbox_icu_speller_close(soundbox_icu_speller *speller);
/// The locale of the rules; "root" if ICU has none for the requested one.
const char *soundbox_icu_speller_actual_locale(const soundbox_icu_speller *speller, int32_t *code);
/// `name` has its percent sign: %spellout-cardinal.
void soundbox_icu_speller_set_rules(soundbox_icu_speller *speller, const uint16_t *name, int32_t length, int32_t *code);

/// The names of the rule sets, separated by semicolons. Returns the length of the text, which may exceed `capacity`.
int32_t soundbox_icu_speller_rule_sets(const soundbox_icu_speller *speller, uint16_t *text, int32_t capacity,
                                       int32_t *code);

/// Spells plain decimal digits (123.45). Returns the length of the text, which may exceed `capacity`.
int32_t soundbox_icu_spell_digits(const soundbox_icu_speller *speller, const char *digits, int32_t length,
                                  uint16_t *text, int32_t capacity, int32_t *code);
/// The same for a number, without the conversion from digits.
int32_t soundbox_icu_spell_integer(const soundbox_icu_speller *speller, int64_t number, uint16_t *text,
                                   int32_t capacity, int32_t *code);
int32_t soundbox_icu_spell_double(const soundbox_icu_speller *speller, double number, uint16_t *text, int32_t capacity,
                                  int32_t *code);

soundbox_icu_regex *soundbox_icu_regex_open(const uint16_t *pattern, int32_t length, int32_t *code);
void soundbox_icu_regex_close(soundbox_icu_regex *regex);
/// Replaces every match in `text` by `replacement`; $1 is the first group. Returns the length of the result, which may
/// exceed `capacity`.
int32_t soundbox_icu_regex_replace(soundbox_icu_regex *regex, const uint16_t *text, int32_t textLength,
                                   const uint16_t *replacement, int32_t replacementLength, uint16_t *result,
                                   int32_t capacity, int32_t *code);
