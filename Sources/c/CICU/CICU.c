#include "CICU.h"

#include <unicode/unum.h>
#include <unicode/uregex.h>

static const UNumberFormat *format(const soundbox_icu_speller *speller) { return (const UNumberFormat *)speller; }

int32_t soundbox_icu_version(void) { return U_ICU_VERSION_MAJOR_NUM; }

const char *soundbox_icu_error_name(int32_t code) { return u_errorName((UErrorCode)code); }

soundbox_icu_speller *soundbox_icu_speller_open(const char *locale, int32_t *code) {
  UErrorCode status = U_ZERO_ERROR;
  UNumberFormat *opened = unum_open(UNUM_SPELLOUT, 0, 0, locale, 0, &status);
  *code = status;
  return (soundbox_icu_speller *)opened;
}

void soundbox_icu_speller_close(soundbox_icu_speller *speller) { unum_close((UNumberFormat *)speller); }

const char *soundbox_icu_speller_actual_locale(const soundbox_icu_speller *speller, int32_t *code) {
  UErrorCode status = U_ZERO_ERROR;
  const char *locale = unum_getLocaleByType(format(speller), ULOC_ACTUAL_LOCALE, &status);
  *code = status;
  return locale;
}

void soundbox_icu_speller_set_rules(soundbox_icu_speller *speller, const uint16_t *name, int32_t length,
                                    int32_t *code) {
  UErrorCode status = U_ZERO_ERROR;
  unum_setTextAttribute((UNumberFormat *)speller, UNUM_DEFAULT_RULESET, name, length, &status);
  *code = status;
}

int32_t soundbox_icu_speller_rule_sets(const soundbox_icu_speller *speller, uint16_t *text, int32_t capacity,
                                       int32_t *code) {
  UErrorCode status = U_ZERO_ERROR;
  int32_t textLength = unum_getTextAttribute(format(speller), UNUM_PUBLIC_RULESETS, text, capacity, &status);
  *code = status;
  return textLength;
}

int32_t soundbox_icu_spell_digits(const soundbox_icu_speller *speller, const char *digits, int32_t length,
                                  uint16_t *text, int32_t capacity, int32_t *code) {
  UErrorCode status = U_ZERO_ERROR;
  int32_t textLength = unum_formatDecimal(format(speller), digits, length, text, capacity, 0, &status);
  *code = status;
  return textLength;
}

int32_t soundbox_icu_spell_integer(const soundbox_icu_speller *speller, int64_t number, uint16_t *text,
                                   int32_t capacity, int32_t *code) {
  UErrorCode status = U_ZERO_ERROR;
  int32_t textLength = unum_formatInt64(format(speller), number, text, capacity, 0, &status);
  *code = status;
  return textLength;
}

int32_t soundbox_icu_spell_double(const soundbox_icu_speller *speller, double number, uint16_t *text, int32_t capacity,
                                  int32_t *code) {
  UErrorCode status = U_ZERO_ERROR;
  int32_t textLength = unum_formatDouble(format(speller), number, text, capacity, 0, &status);
  *code = status;
  return textLength;
}

soundbox_icu_regex *soundbox_icu_regex_open(const uint16_t *pattern, int32_t length, int32_t *code) {
  UErrorCode status = U_ZERO_ERROR;
  URegularExpression *opened = uregex_open(pattern, length, 0, 0, &status);
  *code = status;
  return (soundbox_icu_regex *)opened;
}

void soundbox_icu_regex_close(soundbox_icu_regex *regex) { uregex_close((URegularExpression *)regex); }

int32_t soundbox_icu_regex_replace(soundbox_icu_regex *regex, const uint16_t *text, int32_t textLength,
                                   const uint16_t *replacement, int32_t replacementLength, uint16_t *result,
                                   int32_t capacity, int32_t *code) {
  UErrorCode status = U_ZERO_ERROR;
  URegularExpression *expression = (URegularExpression *)regex;
  uregex_setText(expression, text, textLength, &status);
  int32_t length = uregex_replaceAll(expression, replacement, replacementLength, result, capacity, &status);
  *code = status;
  return length;
}
