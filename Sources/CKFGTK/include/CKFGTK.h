#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The parts of GTK that need C: a GObject class, an event source, and calls that differ between
// GTK's versions. Objects are passed as `void *`, so that this header does not include GTK's. The
// functions exist only in builds with the trait GTK.

// --- Main loop

typedef enum {
    KF_MAIN_LOOP_ATTACHED,
    KF_MAIN_LOOP_ALREADY_ATTACHED,
    // This libdispatch does not provide its main queue to foreign run loops.
    KF_MAIN_LOOP_UNAVAILABLE,
} KFMainLoopResult;

// Adds libdispatch's main queue to GLib's default context. Call it on one thread only.
KFMainLoopResult kf_main_loop_attach(void);

// Whether the calling thread is the process's initial thread.
bool kf_is_process_main_thread(void);

// --- Signals

// A signal handler. `argument` is the signal's first argument, undefined for a signal without
// arguments.
typedef void (*KFSignalHandler)(void *context, uintptr_t argument);
typedef void (*KFSignalRelease)(void *context);

// Connects a handler until the object is finalized; `release` then receives the context. For
// signals without a return value. Returns the handler's id.
unsigned long kf_connect(
    void *object,
    const char *signal,
    bool is_after,
    KFSignalHandler handler,
    void *context,
    KFSignalRelease release
);

// Whether the handlers of a GdkFrameClock's signal "layout" are being called.
bool kf_frame_clock_is_in_layout(void *clock);

// --- Pixels

// Gives a texture of premultiplied RGBA the pixels that cairo paints, a converted copy; GTK converts a
// texture's own every time. No effect without memory, or for a texture that is too large for cairo.
void kf_texture_add_cairo_pixels(
    void *texture,
    const uint8_t *rgba,
    size_t bytes_per_row,
    bool is_opaque
);

// Whether the window of a widget is painted without a graphics card, by cairo.
bool kf_widget_is_painted_by_cairo(void *widget);

// --- Paintable

typedef enum {
    KF_FIT_FILL,
    KF_FIT_CONTAIN,
    KF_FIT_COVER,
    KF_FIT_SCALE_DOWN,
} KFFit;

typedef enum {
    KF_TRANSITION_FADE,
    // The old texture turns away on its vertical axis, then the new one turns in.
    KF_TRANSITION_FLIP_VERTICAL_AXIS,
    KF_TRANSITION_FLIP_HORIZONTAL_AXIS,
    // Both textures are placed according to the last kf_paintable_set_layers.
    KF_TRANSITION_LAYERS,
} KFTransition;

// The placement of a texture: offsets in widths and heights, degrees clockwise about the centre.
typedef struct {
    double opacity, scale_x, scale_y, offset_x, offset_y, rotation;
} KFLayer;

// Called while painting, with the painted size in logical pixels.
typedef void (*KFPaintedSize)(double width, double height, void *context);

// A new empty GdkPaintable; the caller owns the reference.
void *kf_paintable_new(void);

// Shows a GdkTexture (or null) at once, ending a transition. `scale` is the texture's pixels per
// logical pixel.
void kf_paintable_set_texture(void *paintable, void *texture, double scale);

// Releases the texture, but keeps its size as the natural size until the next one.
void kf_paintable_release(void *paintable);

// Like kf_paintable_set_texture, but the previous texture stays visible until the progress, which
// starts at 0, reaches 1.
void kf_paintable_begin_transition(
    void *paintable,
    void *texture,
    double scale,
    KFTransition transition
);
void kf_paintable_set_progress(void *paintable, double progress);
double kf_paintable_get_progress(void *paintable);

// Places the textures of a transition by layers.
void kf_paintable_set_layers(
    void *paintable,
    KFLayer previous,
    KFLayer current,
    bool previous_is_in_front
);

// The current texture, borrowed; null if none.
void *kf_paintable_get_texture(void *paintable);

void kf_paintable_set_fit(void *paintable, KFFit fit);

// The screen's pixels per logical pixel, to which textures are aligned.
void kf_paintable_set_density(void *paintable, double density);

// Whether the paintable's natural size is that of its texture (the default) or none.
void kf_paintable_set_has_natural_size(void *paintable, bool has_natural_size);

// Replaces the texture's size as the natural size; no effect unless both are positive.
void kf_paintable_set_own_size(void *paintable, double width, double height);

// A ring of dots over everything; `phase` counts turns.
void kf_paintable_show_spinner(void *paintable, const float color[4]);
void kf_paintable_set_spinner_phase(void *paintable, double phase);
void kf_paintable_hide_spinner(void *paintable);

// A texture (or null) over everything, at the centre plus an offset. Without a size (0), it fits
// into the area with its aspect ratio.
void kf_paintable_set_overlay(
    void *paintable,
    void *texture,
    double width,
    double height,
    double offset_x,
    double offset_y
);

// A widget (or null) over the whole GtkPicture of a paintable while the paintable has no texture; it
// becomes a child of the GtkPicture, which it may make larger.
void kf_paintable_set_stand_in(void *paintable, void *picture, void *widget);

// A play sign over the image, and a text (a PangoLayout, or null) in its lower corner where a line
// ends.
void kf_paintable_show_badge(void *paintable, void *text, bool is_right_to_left);
void kf_paintable_hide_badge(void *paintable);

// A new PangoLayout in the small font of a widget.
void *kf_widget_make_badge_text(void *widget, const char *text);

// Null removes the callback.
void kf_paintable_on_paint(void *paintable, KFPaintedSize callback, void *context);

// --- Differences between versions

// Makes a GtkPicture give its whole area to its paintable.
void kf_picture_set_fill(void *picture);

// Whether a GtkPicture stretches its paintable, covers its area with it, or fits it inside.
KFFit kf_picture_get_fit(void *picture);

// The length of a widget along an axis in logical pixels. `*is_own` is set if it does not depend on
// the widget's content; otherwise the length is the maximum that its ancestors allow. 0 before
// sizes are allocated.
int kf_widget_get_space(void *widget, bool is_vertical, bool *is_own);

// The screen's pixels per logical pixel; rounded up to a whole number before GTK 4.12.
double kf_widget_get_density(void *widget);

// Whether an object is a widget in another one.
bool kf_widget_has_parent(void *object);

// Whether a widget is mapped and not completely clipped (scrolled out of view) by an ancestor.
bool kf_widget_is_in_sight(void *widget);

// The accessible state of a widget: whether its content is loading, whether loading failed, its
// label and its description (null for none).
void kf_widget_set_busy(void *widget, bool is_busy);
void kf_widget_set_failed(void *widget, bool has_failed);
void kf_widget_set_label(void *widget, const char *label);
void kf_widget_set_description(void *widget, const char *description);

// Sets the accessible label of the cell of a list with a child; null for none.
void kf_list_cell_set_label(void *child, const char *label);

// Sets a property of type GdkPaintable, to null or one of kf_paintable_new; returns false if the
// object has no such property.
bool kf_object_set_paintable(void *object, const char *property, void *paintable);

// Whether the user has animations enabled.
bool kf_widget_animations_enabled(void *widget);

// The widget's foreground colour: red, green, blue, alpha in 0…1.
void kf_widget_get_color(void *widget, float color[4]);

// --- Content for other programs

// A new GdkContentProvider; null if every part is null. Offers, in this order, the bytes of a file
// of a media type, a local file, and a GdkTexture. The bytes are copied.
void *kf_content_new(
    const void *bytes,
    size_t count,
    const char *type,
    const char *path,
    void *texture
);

// Puts a GdkContentProvider on the clipboard of the widget's display.
bool kf_widget_copy(void *widget, void *content);

// Returns a new GdkContentProvider for a drag that begins; null for no drag.
typedef void *(*KFDragContent)(void *context);
// Called when the pointer is pressed on the widget, and when it is released or drags.
typedef void (*KFDragHandler)(bool is_pressed, void *context);

// Makes the content of a widget draggable until kf_widget_remove_drag.
void kf_widget_add_drag(
    void *widget,
    KFDragContent content,
    KFDragHandler handler,
    void *context
);
void kf_widget_remove_drag(void *widget);

typedef enum {
    // The menu is about to open; false keeps it closed.
    KF_MENU_OPEN,
    KF_MENU_COPY,
    KF_MENU_SAVE,
} KFMenuEvent;

typedef bool (*KFMenuHandler)(KFMenuEvent event, void *context);

// Gives a widget a context menu with two entries, until kf_widget_remove_menu. It opens on the
// secondary button, a long press, the menu key and Shift+F10; Control+C is the entry for copying.
void kf_widget_add_menu(
    void *widget,
    const char *copy,
    const char *save,
    KFMenuHandler handler,
    void *context
);
void kf_widget_remove_menu(void *widget);
void kf_widget_open_menu(void *widget);
bool kf_widget_has_open_menu(void *widget);

// Makes a widget focusable, with a visible focus, or not.
void kf_widget_set_focusable(void *widget, bool is_focusable);

// Draws a frame over the child of a list's cell while the cell is selected.
void kf_widget_show_selection(void *widget);

// Calls a handler when one of some keys is pressed while the widget has the focus, for example
// "Return|space". `release` receives the context when the widget ends.
void kf_widget_add_keys(
    void *widget,
    const char *trigger,
    KFSignalHandler handler,
    void *context,
    KFSignalRelease release
);

// Called once, with the chosen GFile, which is borrowed; null if there is none.
typedef void (*KFChosenFile)(void *file, void *context);

// Asks the user where to save a file. The dialog closes with the widget's window.
void kf_choose_file(
    void *widget,
    const char *title,
    const char *name,
    KFChosenFile chosen_file,
    void *context
);

// Called once, with a description of the error; null for none.
typedef void (*KFFileWritten)(const char *error, void *context);

// Replaces the contents of a GFile, at once or not at all where the place allows it. The bytes are
// copied.
void kf_file_replace(
    void *file,
    const void *bytes,
    size_t count,
    KFFileWritten written,
    void *context
);

// --- Zooming

// A new GdkPaintable around one of kf_paintable_new: its image at a place, with a detail of it, and
// its badge and indicators over the whole area. `on_paint` is called while painting, before anything
// is painted, and may call kf_zoomable_set_place; no longer after kf_zoomable_detach.
void *kf_zoomable_new(void *content, KFPaintedSize on_paint, void *context);
void kf_zoomable_detach(void *zoomable);

// The texture of a part of the image, in widths and heights of the image; null for none.
void kf_zoomable_set_detail(
    void *zoomable,
    void *texture,
    double x,
    double y,
    double width,
    double height
);

// The place of the image in the view; empty for a placeholder, which has all of it. Does not request a
// frame.
void kf_zoomable_set_place(void *zoomable, double x, double y, double width, double height);
void kf_zoomable_queue_draw(void *zoomable);

typedef enum {
    // Enlarge by a factor; (x, y) stays in place. Not numbers mean the centre.
    KF_ZOOM_BY,
    // Move by (x, y).
    KF_ZOOM_MOVE,
    // Between the whole image and its own size.
    KF_ZOOM_TOGGLE,
    KF_ZOOM_FIT,
    KF_ZOOM_ACTUAL,
} KFZoomEvent;

// Returns whether the event has an effect; moving has none while the whole image is shown.
typedef bool (*KFZoomHandler)(KFZoomEvent event, double value, double x, double y, void *context);

// Reports gestures, the wheel and keys of a widget, once in its life.
void kf_widget_add_zoom(void *widget, KFZoomHandler handler, void *context);
