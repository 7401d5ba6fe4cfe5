#if GTK
import CKFGTKHeaders
import KingfisherGTK
import Testing

extension GTKTests {
    struct GtkSignalTests {
        /// Released with the closures that capture it.
        private final class Token {}

        @Test func `a closure runs at each signal until it is disconnected`() throws {
            let list = try #require(gtk_string_list_new(nil))
            defer { g_object_unref(UnsafeMutableRawPointer(list)) }
            var count = 0
            var positions: [UInt32] = []
            let handler = GtkSignal.connect(list, "items-changed") { count += 1 }
            GtkSignal.connect(list, "items-changed") { position in
                positions.append(UInt32(truncatingIfNeeded: position))
            }
            gtk_string_list_append(list, "a")
            gtk_string_list_append(list, "b")
            #expect(count == 2)
            #expect(positions == [0, 1])
            GtkSignal.disconnect(handler, from: list)
            gtk_string_list_remove(list, 0)
            #expect(count == 2)
            #expect(positions == [0, 1, 0])
        }

        @Test func `a closure is released when it is disconnected, or with its object`() throws {
            let list = try #require(gtk_string_list_new(nil))
            weak var first: Token?
            weak var second: Token?
            let handler: UInt
            do {
                let tokens = [Token(), Token()]
                (first, second) = (tokens[0], tokens[1])
                handler = GtkSignal.connect(list, "items-changed") { [token = tokens[0]] in
                    _ = token
                }
                GtkSignal.connect(list, "items-changed") { [token = tokens[1]] in _ = token }
            }
            #expect(first != nil && second != nil)
            GtkSignal.disconnect(handler, from: list)
            #expect(first == nil && second != nil)
            g_object_unref(UnsafeMutableRawPointer(list))
            #expect(second == nil)
        }

        @Test func `a closure may run after the object's own handler`() throws {
            try #require(gtk_init_check() != 0)
            let button = try #require(gtk_toggle_button_new())
            g_object_ref_sink(button)
            defer { g_object_unref(button) }
            let toggle = UnsafeMutableRawPointer(button).assumingMemoryBound(
                to: GtkToggleButton.self
            )
            var states: [Int32] = []
            GtkSignal.connect(button, "toggled", after: true) {
                states.append(gtk_toggle_button_get_active(toggle))
            }
            gtk_toggle_button_set_active(toggle, 1)
            gtk_toggle_button_set_active(toggle, 0)
            #expect(states == [1, 0])
        }
    }
}
#endif
