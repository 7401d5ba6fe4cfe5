#include "blend_rows.h"

#if defined(__x86_64__) || defined(__aarch64__)

// The raw values of Swift's `BlendMode`.
enum {
    NORMAL, MULTIPLY, SCREEN, OVERLAY, DARKEN, LIGHTEN, HARD_LIGHT = 9, DIFFERENCE, EXCLUSION,
    CLEAR = 16, COPY, SOURCE_IN, SOURCE_OUT, SOURCE_ATOP, DESTINATION_OVER, DESTINATION_IN,
    DESTINATION_OUT, DESTINATION_ATOP, XOR, PLUS_DARKER, PLUS_LIGHTER
};

INLINE Words chosen(Words mask, Words a, Words b) { return (a & mask) | (b & ~mask); }

INLINE Words lesser(Words a, Words b) { return chosen((Words)(a < b), a, b); }

/// A mode's term where both have coverage, in units of 1/255².
INLINE Words common(Words s, Words b, Words sa, Words ba, int mode) {
    Words light = mode == OVERLAY ? b : s, whole = mode == OVERLAY ? ba : sa;
    switch (mode) {
    case MULTIPLY: return s * b;
    case SCREEN: return s * ba + b * sa - s * b;
    case DARKEN: return lesser(s * ba, b * sa);
    case LIGHTEN: return s * ba + b * sa - lesser(s * ba, b * sa);
    case DIFFERENCE: return s * ba + b * sa - 2 * lesser(s * ba, b * sa);
    case EXCLUSION: return s * ba + b * sa - 2 * s * b;
    default:
        return chosen((Words)(light + light <= whole), 2 * s * b,
                      sa * ba - 2 * (sa - s) * (ba - b));
    }
}

/// The factors of the Porter-Duff operators.
INLINE Words factor_of_source(Words ba, int mode) {
    switch (mode) {
    case NORMAL: case COPY: return (Words){0} + 255;
    case SOURCE_IN: case SOURCE_ATOP: return ba;
    case SOURCE_OUT: case DESTINATION_OVER: case DESTINATION_ATOP: case XOR: return 255 - ba;
    default: return (Words){0};
    }
}

INLINE Words factor_of_backdrop(Words sa, int mode) {
    switch (mode) {
    case DESTINATION_OVER: return (Words){0} + 255;
    case DESTINATION_IN: case DESTINATION_ATOP: return sa;
    case NORMAL: case SOURCE_ATOP: case DESTINATION_OUT: case XOR: return 255 - sa;
    default: return (Words){0};
    }
}

/// Sums of bytes, clipped at white or black.
INLINE Words clipped_sum(Words s, Words b, Words sa, Words ba, int mode) {
    const Words full = (Words){0} + 255;
    if (mode == PLUS_LIGHTER) return lesser(s + b, full);
    Words excess = sa + ba - lesser(sa + ba, full);
    return s + b - lesser(s + b, excess);
}

INLINE Pixels blended(Pixels source, Pixels backdrop, int mode) {
    Words sa = alphas_of(source), ba = alphas_of(backdrop);
    Words s0 = even_bytes(source), s1 = odd_bytes(source);
    Words b0 = even_bytes(backdrop), b1 = odd_bytes(backdrop);
    if (mode == PLUS_DARKER || mode == PLUS_LIGHTER)
        return (Pixels)clipped_sum(s0, b0, sa, ba, mode)
               | (Pixels)(clipped_sum(s1, b1, sa, ba, mode) << 8);
    if (mode == NORMAL || mode >= CLEAR) {
        Words ofSource = factor_of_source(ba, mode), ofBackdrop = factor_of_backdrop(sa, mode);
        return divided_by_255(s0 * ofSource + b0 * ofBackdrop, s1 * ofSource + b1 * ofBackdrop);
    }
    Words even = common(s0, b0, sa, ba, mode), odd = common(s1, b1, sa, ba, mode);
    if (mode == DIFFERENCE || mode == EXCLUSION) {
        // Alpha is the upper half of each pixel's odd words.
        const Words alpha = (Words)((Pixels){0} + 0xFFFF0000);
        odd = chosen(alpha, sa * ba, odd);
    }
    return divided_by_255(s0 * (255 - ba) + b0 * (255 - sa) + even,
                          s1 * (255 - ba) + b1 * (255 - sa) + odd);
}

TWIN int kf_blend_row(const uint8_t *source, uint8_t *backdrop, int width, int mode,
                      int opacity) {
    switch (mode) {
    ROW(NORMAL); ROW(MULTIPLY); ROW(SCREEN); ROW(OVERLAY); ROW(DARKEN); ROW(LIGHTEN);
    ROW(HARD_LIGHT); ROW(DIFFERENCE); ROW(EXCLUSION); ROW(CLEAR); ROW(COPY); ROW(SOURCE_IN);
    ROW(SOURCE_OUT); ROW(SOURCE_ATOP); ROW(DESTINATION_OVER); ROW(DESTINATION_IN);
    ROW(DESTINATION_OUT); ROW(DESTINATION_ATOP); ROW(XOR); ROW(PLUS_DARKER); ROW(PLUS_LIGHTER);
    default: return kf_blend_row_in_floats(source, backdrop, width, mode, opacity);
    }
}
#endif
