#ifdef KF_GTK
#include "CKFGTK.h"

#include <gtk/gtk.h>

// The context menu of a widget; belongs to the widget.
typedef struct {
    KFMenuHandler handler;
    void *context;
    GMenu *model;
    // The open menu, a child of the widget.
    GtkWidget *popover;
    GtkEventController *click, *press, *keys;
    gulong unmap;
    // Whether the widget could have the focus without the menu.
    gboolean was_focusable;
} Menu;

static const char key[] = "kingfisher-menu";

// A window keeps a popover that has its focus until its next frame, and GTK complains if the time of
// a tooltip comes while a popover without a surface is kept.
static void take_focus(GtkWidget *popover) {
    GtkRoot *root = gtk_widget_get_root(popover);
    GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
    if (focus && gtk_widget_is_ancestor(focus, popover)) gtk_root_set_focus(root, NULL);
}

static gboolean unparent(gpointer popover) {
    GtkWidget *widget = gtk_widget_get_parent(popover);
    if (!widget) return G_SOURCE_REMOVE;
    take_focus(popover);
    GtkRoot *root = gtk_widget_get_root(widget);
    // A menu that was hidden by GTK is kept until something else has the focus.
    if (root && !gtk_root_get_focus(root) && gtk_widget_get_mapped(widget)) {
        gtk_widget_grab_focus(widget);
    }
    gtk_widget_unparent(popover);
    return G_SOURCE_REMOVE;
}

static void closed(GtkWidget *popover, GtkWidget *widget) {
    Menu *menu = g_object_get_data(G_OBJECT(widget), key);
    if (menu && menu->popover == popover) menu->popover = NULL;
    // Not now: the chosen action is activated after the menu was closed.
    g_idle_add_full(G_PRIORITY_DEFAULT, unparent, g_object_ref(popover), g_object_unref);
}

static void close_menu(Menu *menu) {
    if (!menu->popover) return;
    take_focus(menu->popover);
    gtk_popover_popdown(GTK_POPOVER(menu->popover));
    menu->popover = NULL;
}

static void widget_destroyed(GtkWidget *popover) {
    GtkWidget *widget = gtk_widget_get_parent(popover);
    Menu *menu = widget ? g_object_get_data(G_OBJECT(widget), key) : NULL;
    if (menu && menu->popover == popover) close_menu(menu);
    // A widget must not be finalized while it has children.
    unparent(popover);
}

// A menu cannot stay open without the window of its widget.
static void unmapped(GtkWidget *widget) {
    Menu *menu = g_object_get_data(G_OBJECT(widget), key);
    GtkWidget *popover = menu ? menu->popover : NULL;
    if (!popover) return;
    close_menu(menu);
    unparent(popover);
}

static void open_menu(GtkWidget *widget, double x, double y) {
    Menu *menu = g_object_get_data(G_OBJECT(widget), key);
    // A key reaches the focused widget, which may be scrolled away: there is no place for the menu.
    if (!menu || !kf_widget_is_in_sight(widget)) return;
    if (!menu->handler(KF_MENU_OPEN, menu->context)) return;
    close_menu(menu);
    menu->popover = gtk_popover_menu_new_from_model(G_MENU_MODEL(menu->model));
    gtk_widget_set_parent(menu->popover, widget);
    gtk_widget_set_halign(menu->popover, GTK_ALIGN_START);
    gtk_popover_set_has_arrow(GTK_POPOVER(menu->popover), FALSE);
    gtk_popover_set_pointing_to(GTK_POPOVER(menu->popover), &(GdkRectangle){(int)x, (int)y, 1, 1});
    g_signal_connect(menu->popover, "closed", G_CALLBACK(closed), widget);
    g_signal_connect_object(
        widget, "destroy", G_CALLBACK(widget_destroyed), menu->popover, G_CONNECT_SWAPPED
    );
    gtk_popover_popup(GTK_POPOVER(menu->popover));
}

static void clicked(GtkGestureClick *click, int count, double x, double y, GtkWidget *widget) {
    (void)count;
    gtk_gesture_set_state(GTK_GESTURE(click), GTK_EVENT_SEQUENCE_CLAIMED);
    open_menu(widget, x, y);
}

static void pressed_long(GtkGesture *press, double x, double y, GtkWidget *widget) {
    gtk_gesture_set_state(press, GTK_EVENT_SEQUENCE_CLAIMED);
    open_menu(widget, x, y);
}

static gboolean menu_key_pressed(GtkWidget *widget, GVariant *arguments, gpointer data) {
    (void)arguments, (void)data;
    open_menu(widget, gtk_widget_get_width(widget) / 2.0, gtk_widget_get_height(widget) / 2.0);
    return TRUE;
}

static void copy_chosen(GSimpleAction *action, GVariant *parameter, Menu *menu) {
    (void)action, (void)parameter;
    menu->handler(KF_MENU_COPY, menu->context);
}

static void save_chosen(GSimpleAction *action, GVariant *parameter, Menu *menu) {
    (void)action, (void)parameter;
    menu->handler(KF_MENU_SAVE, menu->context);
}

static void add_action(GSimpleActionGroup *group, const char *name, GCallback chosen, Menu *menu) {
    GSimpleAction *action = g_simple_action_new(name, NULL);
    g_signal_connect(action, "activate", chosen, menu);
    g_action_map_add_action(G_ACTION_MAP(group), G_ACTION(action));
    g_object_unref(action);
}

static void add_keys(Menu *menu, const char *keys, GtkShortcutAction *action) {
    GtkShortcut *shortcut = gtk_shortcut_new(gtk_shortcut_trigger_parse_string(keys), action);
    gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(menu->keys), shortcut);
}

static void free_menu(gpointer data) {
    Menu *menu = data;
    g_object_unref(menu->model);
    g_free(menu);
}

void kf_widget_add_menu(
    void *widget,
    const char *copy,
    const char *save,
    KFMenuHandler handler,
    void *context
) {
    kf_widget_remove_menu(widget);
    Menu *menu = g_new0(Menu, 1);
    menu->handler = handler;
    menu->context = context;
    menu->model = g_menu_new();
    g_menu_append(menu->model, copy, "kingfisher.copy");
    g_menu_append(menu->model, save, "kingfisher.save");

    GSimpleActionGroup *group = g_simple_action_group_new();
    add_action(group, "copy", G_CALLBACK(copy_chosen), menu);
    add_action(group, "save", G_CALLBACK(save_chosen), menu);
    gtk_widget_insert_action_group(widget, "kingfisher", G_ACTION_GROUP(group));
    g_object_unref(group);

    menu->click = GTK_EVENT_CONTROLLER(gtk_gesture_click_new());
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(menu->click), GDK_BUTTON_SECONDARY);
    g_signal_connect(menu->click, "pressed", G_CALLBACK(clicked), widget);
    gtk_widget_add_controller(widget, menu->click);

    menu->press = GTK_EVENT_CONTROLLER(gtk_gesture_long_press_new());
    gtk_gesture_single_set_touch_only(GTK_GESTURE_SINGLE(menu->press), TRUE);
    g_signal_connect(menu->press, "pressed", G_CALLBACK(pressed_long), widget);
    gtk_widget_add_controller(widget, menu->press);

    menu->unmap = g_signal_connect(widget, "unmap", G_CALLBACK(unmapped), NULL);
    menu->keys = gtk_shortcut_controller_new();
    GtkShortcutAction *open = gtk_callback_action_new(menu_key_pressed, NULL, NULL);
    add_keys(menu, "Menu|<Shift>F10", open);
    add_keys(menu, "<Control>c", gtk_named_action_new("kingfisher.copy"));
    gtk_widget_add_controller(widget, menu->keys);
    menu->was_focusable = gtk_widget_get_focusable(widget);
    kf_widget_set_focusable(widget, true);
    g_object_set_data_full(widget, key, menu, free_menu);
}

void kf_widget_open_menu(void *widget) { open_menu(widget, 0, 0); }

bool kf_widget_has_open_menu(void *widget) {
    Menu *menu = g_object_get_data(widget, key);
    return menu && menu->popover;
}

void kf_widget_remove_menu(void *widget) {
    Menu *menu = g_object_steal_data(widget, key);
    if (!menu) return;
    close_menu(menu);
    g_signal_handler_disconnect(widget, menu->unmap);
    gtk_widget_remove_controller(widget, menu->click);
    gtk_widget_remove_controller(widget, menu->press);
    gtk_widget_remove_controller(widget, menu->keys);
    gtk_widget_insert_action_group(widget, "kingfisher", NULL);
    if (!menu->was_focusable) kf_widget_set_focusable(widget, false);
    free_menu(menu);
}
#endif
