#ifdef KF_GTK
#include "CKFGTK.h"

#include <gtk/gtk.h>

static const char focus_class[] = "kingfisher-focus";

// GTK's themes draw no focus around images.
static const char style[] =
    ".kingfisher-focus:focus-visible {"
    "  outline: 2px solid @theme_selected_bg_color;"
    "  outline-offset: -2px;"
    "}"
    "child:selected > .kingfisher-cell, row:selected > .kingfisher-cell {"
    "  outline: 3px solid @theme_selected_bg_color;"
    "  outline-offset: -3px;"
    "}";

static void provide_style(GdkDisplay *display) {
    static const char key[] = "kingfisher-style";
    if (g_object_get_data(G_OBJECT(display), key)) return;
    GtkCssProvider *provider = gtk_css_provider_new();
#if GTK_CHECK_VERSION(4, 12, 0)
    gtk_css_provider_load_from_string(provider, style);
#else
    gtk_css_provider_load_from_data(provider, style, -1);
#endif
    // The lowest priority above the theme: programs can change it.
    gtk_style_context_add_provider_for_display(
        display, GTK_STYLE_PROVIDER(provider), GTK_STYLE_PROVIDER_PRIORITY_THEME + 1
    );
    g_object_set_data_full(G_OBJECT(display), key, provider, g_object_unref);
}

// Keys reach only widgets that can have the focus.
void kf_widget_set_focusable(void *widget, bool is_focusable) {
    provide_style(gtk_widget_get_display(widget));
    gtk_widget_set_focusable(widget, is_focusable);
    if (is_focusable) {
        gtk_widget_add_css_class(widget, focus_class);
    } else {
        gtk_widget_remove_css_class(widget, focus_class);
    }
}

// The background of a selected cell is behind its image.
void kf_widget_show_selection(void *widget) {
    provide_style(gtk_widget_get_display(widget));
    gtk_widget_add_css_class(widget, "kingfisher-cell");
}

// --- Keys

typedef struct {
    KFSignalHandler handler;
    KFSignalRelease release;
    void *context;
} Keys;

static gboolean pressed(GtkWidget *widget, GVariant *arguments, gpointer keys) {
    (void)widget, (void)arguments;
    ((Keys *)keys)->handler(((Keys *)keys)->context, 0);
    return TRUE;
}

static void free_keys(gpointer keys) {
    ((Keys *)keys)->release(((Keys *)keys)->context);
    g_free(keys);
}

void kf_widget_add_keys(
    void *widget,
    const char *trigger,
    KFSignalHandler handler,
    void *context,
    KFSignalRelease release
) {
    Keys *keys = g_new(Keys, 1);
    *keys = (Keys){handler, release, context};
    GtkShortcut *shortcut = gtk_shortcut_new(
        gtk_shortcut_trigger_parse_string(trigger), gtk_callback_action_new(pressed, keys, free_keys)
    );
    GtkEventController *controller = gtk_shortcut_controller_new();
    gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(controller), shortcut);
    gtk_widget_add_controller(widget, controller);
}
#endif
