#include "blend_rows.h"

#if defined(__x86_64__) || defined(__aarch64__)

// The raw values of Swift's `BlendMode` for the modes that need floats. The formulas are documented
// in DividingBlend.swift and HSLBlend.swift.
enum { COLOR_DODGE = 6, COLOR_BURN, SOFT_LIGHT, HUE = 12, SATURATION, COLOR, LUMINOSITY };

typedef struct {
    Floats red, green, blue;
} Colors;

INLINE Floats chosen(Signs mask, Floats a, Floats b) {
    return (Floats)(((Signs)a & mask) | ((Signs)b & ~mask));
}

INLINE Floats all(float value) { return (Floats){0} + value; }

INLINE Colors scaled(Colors c, Floats factor) {
    return (Colors){c.red * factor, c.green * factor, c.blue * factor};
}

INLINE Floats luma(Colors c) { return c.red * 0.3f + c.green * 0.59f + c.blue * 0.11f; }
INLINE Floats greatest(Colors c) { return most(most(c.red, c.green), c.blue); }
INLINE Floats smallest(Colors c) { return least(least(c.red, c.green), c.blue); }
INLINE Floats saturation(Colors c) { return greatest(c) - smallest(c); }

/// The luma `wanted` plus the deviation of `base` from its own luma, stretched.
INLINE Colors recolored(Floats wanted, Colors base, Floats stretch, Floats white) {
    // Computed from differences, which have no rounding error, so that greys give exactly zero.
    Floats first = base.red - base.green, second = base.green - base.blue;
    Colors away = {first * 0.7f + second * 0.11f, second * 0.11f - first * 0.3f,
                   -(first * 0.3f + second * 0.89f)};
    Floats below = most(-(smallest(away) * stretch), all(1e-3f));
    Floats above = most(greatest(away) * stretch, all(1e-3f));
    Floats room = most(white - wanted, all(0));
    stretch = stretch * least(wanted / below, all(1)) * least(room / above, all(1));
    return (Colors){wanted + away.red * stretch, wanted + away.green * stretch,
                    wanted + away.blue * stretch};
}

INLINE Colors apart(Colors s, Colors b, Floats white, int mode) {
    switch (mode) {
    case HUE: return recolored(luma(b), s, saturation(b) / most(saturation(s), all(1)), white);
    case SATURATION:
        return recolored(luma(b), b, saturation(s) / most(saturation(b), all(1)), white);
    case COLOR: return recolored(luma(b), s, all(1), white);
    default: return recolored(luma(s), b, all(1), white);
    }
}

INLINE Floats divided(Floats s, Floats b, Floats sa, Floats ba, int mode) {
    const Floats tiny = all(1e-6f);
    if (mode == COLOR_DODGE) {
        Floats quotient = sa * sa * b / most(sa - s, tiny);
        return chosen(b <= 0.0f, all(0), least(quotient, sa * ba));
    }
    if (mode == COLOR_BURN) {
        Floats quotient = sa * sa * (ba - b) / most(s, tiny);
        return chosen(b >= ba, sa * ba, sa * ba - least(quotient, sa * ba));
    }
    Floats cb = least(b / most(ba, tiny), all(1));
    Floats curve = chosen(cb <= 0.25f, ((cb * 16 - 12) * cb + 4) * cb, square_roots(cb));
    Floats side = s + s - sa;
    return sa * b + side * chosen(side <= 0.0f, b - b * cb, ba * curve - b);
}

INLINE Pixels blended(Pixels source, Pixels backdrop, int mode) {
    Colors s = {floats_of(source & 0xFF), floats_of(source >> 8 & 0xFF),
                floats_of(source >> 16 & 0xFF)};
    Colors b = {floats_of(backdrop & 0xFF), floats_of(backdrop >> 8 & 0xFF),
                floats_of(backdrop >> 16 & 0xFF)};
    Floats sa = floats_of(source >> 24), ba = floats_of(backdrop >> 24);
    Colors both;
    if (mode >= HUE) {
        both = apart(scaled(s, ba), scaled(b, sa), sa * ba, mode);
    } else {
        both.red = divided(s.red, b.red, sa, ba, mode);
        both.green = divided(s.green, b.green, sa, ba, mode);
        both.blue = divided(s.blue, b.blue, sa, ba, mode);
    }
    const float share = 1.0f / 255;
    Floats above = 255 - ba, below = 255 - sa;
    Floats alpha = sa + ba * below * share;
    const Floats none = {0};
    Floats red = (s.red * above + b.red * below + both.red) * share;
    Floats green = (s.green * above + b.green * below + both.green) * share;
    Floats blue = (s.blue * above + b.blue * below + both.blue) * share;
    return bytes_of(least(most(red, none), alpha)) | bytes_of(least(most(green, none), alpha)) << 8
           | bytes_of(least(most(blue, none), alpha)) << 16 | bytes_of(alpha) << 24;
}

TWIN int kf_blend_row_in_floats(const uint8_t *source, uint8_t *backdrop, int width, int mode,
                                int opacity) {
    switch (mode) {
    ROW(COLOR_DODGE); ROW(COLOR_BURN); ROW(SOFT_LIGHT); ROW(HUE); ROW(SATURATION); ROW(COLOR);
    ROW(LUMINOSITY);
    default: return 0;
    }
}
#endif
