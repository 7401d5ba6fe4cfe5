#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What GTK offers to C alone: a GObject class of our own, an event source, and calls that differ
// between GTK's versions. Objects cross as `void *`, so that this header needs none of GTK's; the
// functions exist only in builds with the trait GTK.

// --- Main loop

typedef enum {
    KF_MAIN_LOOP_ATTACHED,
    KF_MAIN_LOOP_ALREADY_ATTACHED,
    // This libdispatch does not offer its main queue to foreign loops.
    KF_MAIN_LOOP_UNAVAILABLE,
} KFMainLoopResult;

// Adds libdispatch's main queue to GLib's default context. Call it on one thread only.
KFMainLoopResult kf_main_loop_attach(void);

// Whether the calling thread is the process's first one.
bool kf_is_process_main_thread(void);

// --- Signals

// What a signal calls: `argument` is its first one, undefined for a signal without.
typedef void (*KFSignalHandler)(void *context, uintptr_t argument);
typedef void (*KFSignalRelease)(void *context);

// Connects a handler for as long as the object lives; `release` gets the context back at the end.
// For signals that return nothing. Returns the handler's number.
unsigned long kf_connect(
    void *object,
    const char *signal,
    bool is_after,
    KFSignalHandler handler,
    void *context,
    KFSignalRelease release
);

// --- Paintable

typedef enum {
    KF_FIT_FILL,
    KF_FIT_CONTAIN,
    KF_FIT_COVER,
    KF_FIT_SCALE_DOWN,
} KFFit;

typedef enum {
    KF_TRANSITION_FADE,
    // The old picture turns away on its vertical axis, then the new one turns in.
    KF_TRANSITION_FLIP_VERTICAL_AXIS,
    KF_TRANSITION_FLIP_HORIZONTAL_AXIS,
    // Both pictures lie as kf_paintable_set_layers said last.
    KF_TRANSITION_LAYERS,
} KFTransition;

// Where a picture lies: offsets in widths and heights, degrees clockwise about the middle.
typedef struct {
    double opacity, scale_x, scale_y, offset_x, offset_y, rotation;
} KFLayer;

// Called while painting with the size that is painted to, in logical pixels.
typedef void (*KFPaintedSize)(double width, double height, void *context);

// A new GdkPaintable that shows nothing; the caller owns the reference.
void *kf_paintable_new(void);

// Puts a GdkTexture (or null) on show at once, ending a transition. `scale` is its pixels per
// logical pixel.
void kf_paintable_set_texture(void *paintable, void *texture, double scale);

// Lets go of the texture, but keeps its size as the natural one until the next.
void kf_paintable_release(void *paintable);

// Like kf_paintable_set_texture, but what was shown stays behind until the progress reaches 1; it begins at 0.
void kf_paintable_begin_transition(
    void *paintable,
    void *texture,
    double scale,
    KFTransition transition
);
void kf_paintable_set_progress(void *paintable, double progress);
double kf_paintable_get_progress(void *paintable);

// Says where the pictures of a transition by layers lie.
void kf_paintable_set_layers(
    void *paintable,
    KFLayer previous,
    KFLayer current,
    bool previous_is_in_front
);

// The texture on show, borrowed; null if none.
void *kf_paintable_get_texture(void *paintable);

void kf_paintable_set_fit(void *paintable, KFFit fit);

// The screen's pixels per logical pixel, which pictures are aligned to.
void kf_paintable_set_density(void *paintable, double density);

// Whether the texture's size is the paintable's natural size, or it has none (the default is
// that it has).
void kf_paintable_set_has_natural_size(void *paintable, bool has_natural_size);

// A ring of dots over everything; `phase` in turns.
void kf_paintable_show_spinner(void *paintable, const float color[4]);
void kf_paintable_set_spinner_phase(void *paintable, double phase);
void kf_paintable_hide_spinner(void *paintable);

// A texture (or null) over everything, in the middle plus an offset; without a size (0) it fills
// what there is, as far as its ratio allows.
void kf_paintable_set_overlay(
    void *paintable,
    void *texture,
    double width,
    double height,
    double offset_x,
    double offset_y
);

// Null takes the callback away.
void kf_paintable_on_paint(void *paintable, KFPaintedSize callback, void *context);

// --- What differs between versions

// Lets a GtkPicture give its whole area to its paintable.
void kf_picture_set_fill(void *picture);

// Whether a GtkPicture stretches its paintable, or covers its area with it, or fits it inside.
KFFit kf_picture_get_fit(void *picture);

// The length along an axis that a widget has whatever it shows, in logical pixels, with `*is_own`
// set; else what its ancestors leave it at most. 0 while nothing has a size.
int kf_widget_get_space(void *widget, bool is_vertical, bool *is_own);

// The screen's pixels per logical pixel, with its fraction where GTK tells it (from 4.12).
double kf_widget_get_density(void *widget);

// Whether a widget is mapped, and no ancestor that clips its children has scrolled it away.
bool kf_widget_is_in_sight(void *widget);

// What assistive technology is told of a widget: that its content is on its way, that it could not
// be had, and its name (null for none).
void kf_widget_set_busy(void *widget, bool is_busy);
void kf_widget_set_failed(void *widget, bool has_failed);
void kf_widget_set_label(void *widget, const char *label);

// Sets a property that takes a GdkPaintable; false if the object has none of that name.
bool kf_object_set_paintable(void *object, const char *property, void *paintable);

// Whether the user wants things to move.
bool kf_widget_animations_enabled(void *widget);

// The widget's foreground colour: red, green, blue, alpha in 0…1.
void kf_widget_get_color(void *widget, float color[4]);
