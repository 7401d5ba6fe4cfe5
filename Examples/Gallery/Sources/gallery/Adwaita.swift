import CGalleryGTK
import Foundation

/// GNOME's look, if its library is installed; the gallery does not need its headers.
enum Adwaita {
    /// Loads libadwaita and lets it style all windows.
    ///
    /// - Returns: Whether it is installed.
    static func load(isDark: Bool) -> Bool {
        // Never closed: GTK's types cannot be removed.
        guard let library = dlopen("libadwaita-1.so.0", RTLD_NOW | RTLD_GLOBAL),
            let start = dlsym(library, "adw_init")
        else { return false }
        unsafeBitCast(start, to: (@convention(c) () -> Void).self)()
        guard isDark, let find = dlsym(library, "adw_style_manager_get_default"),
            let choose = dlsym(library, "adw_style_manager_set_color_scheme")
        else { return true }
        typealias Find = @convention(c) () -> OpaquePointer?
        typealias Choose = @convention(c) (OpaquePointer?, Int32) -> Void
        // ADW_COLOR_SCHEME_FORCE_DARK
        unsafeBitCast(choose, to: Choose.self)(unsafeBitCast(find, to: Find.self)(), 4)
        return true
    }
}
