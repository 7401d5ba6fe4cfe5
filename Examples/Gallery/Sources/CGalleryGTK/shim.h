#pragma once
#include <gtk/gtk.h>

// Names a widget for assistive technology; Swift cannot call functions with variable arguments.
static inline void gallery_set_label(GtkWidget *widget, const char *label) {
    gtk_accessible_update_property(
        GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1
    );
}

// GTK 4.12 replaced the function that Debian 12 has.
static inline void gallery_load_style(GtkCssProvider *provider, const char *style) {
#if GTK_CHECK_VERSION(4, 12, 0)
    gtk_css_provider_load_from_string(provider, style);
#else
    gtk_css_provider_load_from_data(provider, style, -1);
#endif
}

// Presses a key while a widget has the focus, or moves the pointer over it, as its controllers notice
// it: programs cannot make events for GTK.
static inline void gallery_press(GtkWidget *widget, guint key) {
    GListModel *all = gtk_widget_observe_controllers(widget);
    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        gpointer controller = g_list_model_get_item(all, i);
        gboolean is_handled = FALSE;
        if (GTK_IS_EVENT_CONTROLLER_KEY(controller)) {
            g_signal_emit_by_name(controller, "key-pressed", key, 0, 0, &is_handled);
        } else if (GTK_IS_SHORTCUT_CONTROLLER(controller)) {
            for (guint j = 0; j < g_list_model_get_n_items(controller) && !is_handled; j++) {
                GtkShortcut *shortcut = g_list_model_get_item(controller, j);
                GtkShortcutTrigger *trigger = gtk_shortcut_get_trigger(shortcut);
                is_handled = GTK_IS_KEYVAL_TRIGGER(trigger) &&
                    gtk_keyval_trigger_get_keyval(GTK_KEYVAL_TRIGGER(trigger)) == key &&
                    gtk_shortcut_action_activate(
                        gtk_shortcut_get_action(shortcut), 0, widget, NULL
                    );
                g_object_unref(shortcut);
            }
        }
        g_object_unref(controller);
        if (is_handled) break;
    }
    g_object_unref(all);
}

static inline void gallery_move_pointer(GtkWidget *widget, double x, double y) {
    GListModel *all = gtk_widget_observe_controllers(widget);
    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        gpointer controller = g_list_model_get_item(all, i);
        if (GTK_IS_EVENT_CONTROLLER_MOTION(controller)) {
            g_signal_emit_by_name(controller, "motion", x, y);
        }
        g_object_unref(controller);
    }
    g_object_unref(all);
}
