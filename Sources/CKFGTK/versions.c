#ifdef KF_GTK
#include "CKFGTK.h"

#include <gtk/gtk.h>

void kf_picture_set_fill(void *picture) {
#if GTK_CHECK_VERSION(4, 8, 0)
    gtk_picture_set_content_fit(picture, GTK_CONTENT_FIT_FILL);
#else
    gtk_picture_set_keep_aspect_ratio(picture, FALSE);
#endif
}

KFFit kf_picture_get_fit(void *picture) {
#if GTK_CHECK_VERSION(4, 8, 0)
    switch (gtk_picture_get_content_fit(picture)) {
    case GTK_CONTENT_FIT_FILL: return KF_FIT_FILL;
    case GTK_CONTENT_FIT_COVER: return KF_FIT_COVER;
    case GTK_CONTENT_FIT_SCALE_DOWN: return KF_FIT_SCALE_DOWN;
    default: return KF_FIT_CONTAIN;
    }
#else
    return gtk_picture_get_keep_aspect_ratio(picture) ? KF_FIT_CONTAIN : KF_FIT_FILL;
#endif
}

bool kf_widget_animations_enabled(void *widget) {
    gboolean is_enabled = TRUE;
    g_object_get(gtk_widget_get_settings(widget), "gtk-enable-animations", &is_enabled, NULL);
    return is_enabled;
}

void kf_widget_get_color(void *widget, float color[4]) {
    GdkRGBA rgba;
#if GTK_CHECK_VERSION(4, 10, 0)
    gtk_widget_get_color(widget, &rgba);
#else
    gtk_style_context_get_color(gtk_widget_get_style_context(widget), &rgba);
#endif
    color[0] = rgba.red;
    color[1] = rgba.green;
    color[2] = rgba.blue;
    color[3] = rgba.alpha;
}
#endif
