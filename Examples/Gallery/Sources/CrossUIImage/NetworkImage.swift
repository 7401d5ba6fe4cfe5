package import CrossUIStandIn  // In a program: Gtk, GtkBackend and SwiftCrossUI.
package import Foundation
package import KingfisherGTK

/// An image of a URL in swift-cross-ui, as large as it is, or smaller where there is less space.
package struct NetworkImage: GtkWidgetRepresentable {
    private let url: URL?

    package init(_ url: URL?) { self.url = url }

    package func makeCoordinator() -> KFImage { KFImage(url).resizable().fade(duration: 0.2) }

    package func makeGtkWidget(context: Context) -> Widget { Widget(context.coordinator.widget) }

    package func updateGtkWidget(_ gtkWidget: Widget, context: Context) {
        context.coordinator.bind(to: url)
    }

    package func sizeThatFits(
        _ proposal: ProposedViewSize,
        gtkWidget: Widget,
        context: Context
    ) -> ViewSize {
        guard let own = context.coordinator.naturalSize else {
            return ViewSize(proposal.width ?? 10, proposal.height ?? 10)
        }
        let width = (proposal.width ?? own.width) / own.width
        let height = (proposal.height ?? own.height) / own.height
        let factor = min(1, width, height)
        return ViewSize(own.width * factor, own.height * factor)
    }
}
