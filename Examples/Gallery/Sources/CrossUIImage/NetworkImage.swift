package import CrossUIStandIn  // In a program: Gtk, GtkBackend and SwiftCrossUI.
package import Foundation
package import KingfisherGTK

/// An image of a URL in swift-cross-ui, as large as it is, or smaller where there is less space.
package struct NetworkImage: GtkWidgetRepresentable {
    private let url: URL?
    private let onSize: (@MainActor (CGSize) -> Void)?

    /// - Parameters:
    ///   - url: The URL of the image.
    ///   - onSize: Called when the size of the image is known; a program changes its state, so that
    ///     the framework computes its layout again.
    package init(_ url: URL?, onSize: (@MainActor (CGSize) -> Void)? = nil) {
        self.url = url
        self.onSize = onSize
    }

    package func makeCoordinator() -> KFImage {
        KFImage(url).resizable().fade(duration: 0.2).onNaturalSize(onSize)
    }

    package func makeGtkWidget(context: Context) -> Widget { Widget(context.coordinator.widget) }

    package func updateGtkWidget(_ gtkWidget: Widget, context: Context) {
        context.coordinator.bind(to: url)
    }

    package func sizeThatFits(
        _ proposal: ProposedViewSize,
        gtkWidget: Widget,
        context: Context
    ) -> ViewSize {
        guard let size = context.coordinator.size(fitting: proposal.width, proposal.height) else {
            return ViewSize(proposal.width ?? 10, proposal.height ?? 10)
        }
        return ViewSize(size.width, size.height)
    }
}
