#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher
import KFPixels
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// The context menu of a view, and its focus.
    @Suite(.timeLimit(.minutes(1)))
    struct PictureMenuTests {
        init() throws {
            try #require(gtk_init_check() != 0)
        }

        @Test func `the menu opens over an image alone, and closes with its view`() async throws {
            let view = ImageView()
            view.kf.contextMenu = PictureMenu()
            let stage = Stage(view.widget)
            await stage.paint()
            kf_widget_open_menu(view.gtkPicture.asRaw)
            #expect(!kf_widget_has_open_menu(view.gtkPicture.asRaw))
            view.image = .solid(.pureRed)
            kf_widget_open_menu(view.gtkPicture.asRaw)
            #expect(kf_widget_has_open_menu(view.gtkPicture.asRaw))
            await stage.paint()
            // GTK warns, which ends the test, if the view goes before its menu.
            stage.close()
        }

        @Test func `the menu does not open over an image that is scrolled away`() async throws {
            let window = try #require(gtk_scrolled_window_new())
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            gtk_scrolled_window_set_child(OpaquePointer(window), box)
            let views = (0..<2).map { _ in ImageView() }
            for view in views {
                view.setSizeRequest(width: 100, height: 200)
                view.image = .solid(.pureRed)
                view.kf.contextMenu = PictureMenu()
                gtk_box_append(box.asBox, view.widget)
            }
            let stage = Stage(window, width: 120, height: 100)
            await stage.paint()
            kf_widget_open_menu(views[1].gtkPicture.asRaw)
            #expect(!kf_widget_has_open_menu(views[1].gtkPicture.asRaw))
            kf_widget_open_menu(views[0].gtkPicture.asRaw)
            #expect(kf_widget_has_open_menu(views[0].gtkPicture.asRaw))
            views[0].kf.contextMenu = nil
        }

        @Test func `a long press of a finger opens the menu`() async throws {
            let view = ImageView()
            view.image = .solid(.pureRed)
            view.kf.contextMenu = PictureMenu()
            let stage = Stage(view.widget)
            await stage.paint()
            let press = try #require(
                controllers(of: view.widget).first { $0.isOf(gtk_gesture_long_press_get_type()) }
            )
            #expect(gtk_gesture_single_get_touch_only(OpaquePointer(press)) != 0)
            var values = [press.value, 10.0.value, 10.0.value]
            let type = gtk_gesture_long_press_get_type()
            g_signal_emitv(&values, g_signal_lookup("pressed", type), 0, nil)
            #expect(kf_widget_has_open_menu(view.gtkPicture.asRaw))
            view.kf.contextMenu = nil
        }

        @Test func `the focus of a view with a menu is visible`() async throws {
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            let views = (0..<2).map { _ in ImageView() }
            for view in views {
                view.setSizeRequest(width: 100, height: 80)
                view.fit = .fill
                view.image = .solid(.pureRed)
                view.kf.contextMenu = PictureMenu()
                gtk_box_append(box.asBox, view.widget)
            }
            let stage = Stage(box, width: 100, height: 160)
            await stage.paint()
            let window = UnsafeMutableRawPointer(stage.window)
                .assumingMemoryBound(to: GtkWindow.self)
            gtk_window_set_focus_visible(window, 1)
            gtk_widget_grab_focus(views[0].widget)
            await stage.paint()
            let capture = try #require(stage.capture())
            #expect(!capture[50, 1].isNear(.pureRed))
            #expect(capture[50, 81].isNear(.pureRed))
            gtk_widget_grab_focus(views[1].widget)
            await stage.paint()
            #expect(stage.capture()?[50, 1].isNear(.pureRed) == true)
        }

        private func controllers(
            of widget: UnsafeMutablePointer<GtkWidget>
        ) -> [UnsafeMutableRawPointer] {
            let list = gtk_widget_observe_controllers(widget)
            defer { g_object_unref(list.map { UnsafeMutableRawPointer($0) }) }
            return (0..<g_list_model_get_n_items(list)).compactMap {
                let item = g_list_model_get_item(list, $0)
                // The widget keeps it.
                g_object_unref(item)
                return item
            }
        }

        @Test func `a menu can be taken away`() async throws {
            let view = ImageView()
            view.image = .solid(.pureRed)
            view.kf.contextMenu = PictureMenu(copyTitle: "Kopieren")
            #expect(view.kf.contextMenu?.copyTitle == "Kopieren")
            let stage = Stage(view.widget)
            await stage.paint()
            kf_widget_open_menu(view.gtkPicture.asRaw)
            await stage.paint()
            view.kf.contextMenu = nil
            #expect(!kf_widget_has_open_menu(view.gtkPicture.asRaw))
            kf_widget_open_menu(view.gtkPicture.asRaw)
            #expect(!kf_widget_has_open_menu(view.gtkPicture.asRaw))
            await stage.paint()
        }

        @Test func `a view that is removed closes its menu`() async throws {
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            let view = ImageView()
            view.image = .solid(.pureRed)
            view.kf.contextMenu = PictureMenu()
            gtk_box_append(box.asBox, view.widget)
            let stage = Stage(box)
            await stage.paint()
            kf_widget_open_menu(view.gtkPicture.asRaw)
            await stage.paint()
            // GTK warns, which ends the test, of a menu without a window.
            gtk_box_remove(box.asBox, view.widget)
            #expect(!kf_widget_has_open_menu(view.gtkPicture.asRaw))
            await stage.paint()
            gtk_box_append(box.asBox, view.widget)
            await stage.paint()
            kf_widget_open_menu(view.gtkPicture.asRaw)
            #expect(kf_widget_has_open_menu(view.gtkPicture.asRaw))
            await stage.paint()
        }

        @Test func `a failed image loads again by a key, and has a visible focus until then`()
            async throws
        {
            let bench = try TestBench()
            bench.server.fallback { _ in .status(503) }
            var failures = 0
            let image = KFImage(bench.server.url("/a.png"))
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .resizable(.fill)
                .retryOnClick()
                .onFailure { _ in failures += 1 }
            #expect(gtk_widget_get_focusable(image.widget) == 0)
            let stage = Stage(image.widget)
            await stage.run { failures == 1 }
            #expect(gtk_widget_get_focusable(image.widget) != 0)
            gtk_window_set_focus_visible(
                UnsafeMutableRawPointer(stage.window).assumingMemoryBound(to: GtkWindow.self),
                1
            )
            await stage.paint()
            let before = try #require(stage.capture())
            gtk_widget_grab_focus(image.widget)
            await stage.paint()
            let after = try #require(stage.capture())
            #expect(!after[100, 1].isNear(before[100, 1]))
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            try pressKey(of: image.widget)
            await stage.run { image.view.image != nil }
            #expect(gtk_widget_get_focusable(image.widget) == 0)
        }

        /// Activates the first shortcut of a widget.
        private func pressKey(of widget: UnsafeMutablePointer<GtkWidget>) throws {
            let keys = try #require(
                controllers(of: widget).first { $0.isOf(gtk_shortcut_controller_get_type()) }
            )
            let shortcut = try #require(g_list_model_get_item(OpaquePointer(keys), 0))
            defer { g_object_unref(shortcut) }
            let trigger = gtk_shortcut_get_trigger(OpaquePointer(shortcut))
            let text = try #require(gtk_shortcut_trigger_to_string(trigger))
            defer { g_free(text) }
            #expect(String(cString: text) == "Return|KP_Enter|space")
            let action = gtk_shortcut_get_action(OpaquePointer(shortcut))
            gtk_shortcut_action_activate(action, GtkShortcutActionFlags(0), widget, nil)
        }
    }
}

extension UnsafeMutableRawPointer {
    /// The object as an argument of a signal.
    fileprivate var value: GValue {
        var value = GValue()
        // G_TYPE_OBJECT, a macro that Swift cannot import.
        g_value_init(&value, GType(20 << 2))
        g_value_set_object(&value, self)
        return value
    }
}

extension Double {
    fileprivate var value: GValue {
        var value = GValue()
        // G_TYPE_DOUBLE
        g_value_init(&value, GType(15 << 2))
        g_value_set_double(&value, self)
        return value
    }
}

extension UnsafeMutableRawPointer {
    fileprivate func isOf(_ type: GType) -> Bool {
        g_type_check_instance_is_a(assumingMemoryBound(to: GTypeInstance.self), type) != 0
    }
}

extension OpaquePointer {
    fileprivate var asRaw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}
#endif
