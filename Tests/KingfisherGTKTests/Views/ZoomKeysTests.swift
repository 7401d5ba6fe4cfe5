#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// The keys of a zoomable view, and those that it leaves to the program.
    @Suite(.timeLimit(.minutes(1)))
    struct ZoomKeysTests {
        private let view: KFZoomView
        private let stage: Stage

        init() throws {
            try #require(gtk_init_check() != 0)
            view = KFZoomView()
            stage = Stage(view.widget, width: 300, height: 200)
        }

        @Test func `arrows move an enlarged image, and are the program's while all of it is shown`()
            async throws
        {
            try await show()
            let arrows = [
                GDK_KEY_Left, GDK_KEY_Right, GDK_KEY_Up, GDK_KEY_Down,
                GDK_KEY_KP_Left, GDK_KEY_KP_Right, GDK_KEY_KP_Up, GDK_KEY_KP_Down,
            ]
            for key in arrows { #expect(try !press(key)) }
            #expect(try press(GDK_KEY_1))
            for key in arrows {
                let before = view.state.geometry.origin
                #expect(try press(key))
                #expect(view.state.geometry.origin != before)
            }
            // At the edge, too: the focus would go to another widget.
            for _ in 0..<100 { #expect(try press(GDK_KEY_Left)) }
            #expect(try press(GDK_KEY_0))
            for key in arrows { #expect(try !press(key)) }
            stage.close()
        }

        @Test func `without an image all keys are the program's`() async throws {
            await stage.paint()
            for key in [GDK_KEY_plus, GDK_KEY_1, GDK_KEY_0, GDK_KEY_Left] {
                #expect(try !press(key))
            }
            #expect(view.state.geometry.isFitted)
            stage.close()
        }

        @Test func `keys with the modifiers of shortcuts are the program's`() async throws {
            try await show()
            view.zoom = 1
            let geometry = view.state.geometry
            #expect(try !press(GDK_KEY_Left, GDK_ALT_MASK))
            #expect(try !press(GDK_KEY_Left, GDK_CONTROL_MASK))
            #expect(try !press(GDK_KEY_0, GDK_ALT_MASK))
            #expect(view.state.geometry == geometry)
            #expect(try press(GDK_KEY_0, GDK_CONTROL_MASK))
            #expect(view.state.geometry.isFitted)
            stage.close()
        }

        @Test func `a view whose menu is taken away keeps its keys`() async throws {
            view.kf.contextMenu = PictureMenu()
            view.kf.contextMenu = nil
            #expect(gtk_widget_get_focusable(view.widget) != 0)
            let other = ImageView()
            other.kf.contextMenu = PictureMenu()
            other.kf.contextMenu = PictureMenu(copyTitle: "Copy")
            #expect(gtk_widget_get_focusable(other.widget) != 0)
            other.kf.contextMenu = nil
            #expect(gtk_widget_get_focusable(other.widget) == 0)
            gtk_widget_set_focusable(other.widget, 1)
            other.kf.contextMenu = PictureMenu()
            other.kf.contextMenu = nil
            #expect(gtk_widget_get_focusable(other.widget) != 0)
            stage.close()
        }

        private func show() async throws {
            view.kf.image = .solid(.pureRed, width: 1_200, height: 800)
            await stage.paint()
            #expect(view.state.geometry.isFitted)
        }

        /// Whether the view handles a key.
        private func press(
            _ key: Int32,
            _ state: GdkModifierType = GdkModifierType(0)
        ) throws -> Bool {
            let list = try #require(gtk_widget_observe_controllers(view.widget))
            defer { g_object_unref(UnsafeMutableRawPointer(list)) }
            for position in 0..<g_list_model_get_n_items(list) {
                let controller = try #require(g_list_model_get_item(list, position))
                defer { g_object_unref(controller) }
                let instance = controller.assumingMemoryBound(to: GTypeInstance.self)
                let type = gtk_event_controller_key_get_type()
                guard g_type_check_instance_is_a(instance, type) != 0 else { continue }
                var arguments = [GValue](repeating: GValue(), count: 4)
                g_value_init(&arguments[0], type)
                g_value_set_object(&arguments[0], controller)
                // G_TYPE_UINT and G_TYPE_BOOLEAN, macros that Swift cannot import.
                for index in 1...2 { g_value_init(&arguments[index], GType(7 << 2)) }
                g_value_set_uint(&arguments[1], guint(key))
                g_value_init(&arguments[3], gdk_modifier_type_get_type())
                g_value_set_flags(&arguments[3], guint(state.rawValue))
                var isHandled = GValue()
                g_value_init(&isHandled, GType(5 << 2))
                g_signal_emitv(&arguments, g_signal_lookup("key-pressed", type), 0, &isHandled)
                g_value_unset(&arguments[0])
                if g_value_get_boolean(&isHandled) != 0 { return true }
            }
            return false
        }
    }
}
#endif
