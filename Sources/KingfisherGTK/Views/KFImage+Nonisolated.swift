#if GTK
import CKFGTK
public import Foundation
import Kingfisher

/// For frameworks whose code runs on the main thread without being isolated to the main actor.
extension KFImage {
    /// Makes the widget of a ``KFImage``.
    ///
    /// - Parameters:
    ///   - url: The URL of the image.
    ///   - configure: Configures the image with its chained methods.
    /// - Returns: The widget, a GtkOverlay. It lives until the next iteration of the main loop,
    ///   unless a container retains it.
    /// - Precondition: GTK is initialised, and this is the main thread.
    nonisolated public static func makeWidget(
        for url: URL?,
        _ configure: @MainActor (KFImage) -> Void = { _ in }
    ) -> OpaquePointer {
        // A pointer cannot leave the main actor, a number can.
        let address = MainActor.assumeIsolated {
            let image = KFImage(url)
            configure(image)
            return UInt(bitPattern: image.state.overlay)
        }
        guard let widget = OpaquePointer(bitPattern: address) else {
            preconditionFailure("a widget has an address")
        }
        return widget
    }

    /// Shows another URL in a widget of ``makeWidget(for:_:)``; see `bind(to:)`.
    ///
    /// - Precondition: This is the main thread.
    nonisolated public static func bind(_ widget: OpaquePointer, to url: URL?) {
        let address = UInt(bitPattern: widget)
        MainActor.assumeIsolated {
            guard let overlay = UnsafeMutableRawPointer(bitPattern: address) else { return }
            KFImageState.data.value(of: overlay)?.bind(to: url?.convertToSource())
        }
    }
}
#endif
