package import CGalleryGTK

// The declarations of swift-cross-ui that the adapter uses, so that it is compiled without the
// framework.

/// Stands in for `Gtk.Widget`.
@MainActor
package class Widget {
    package let widgetPointer: UnsafeMutablePointer<GtkWidget>
    package init(_ pointer: UnsafeMutablePointer<GtkWidget>) { widgetPointer = pointer }
}

package struct ProposedViewSize {
    package var width: Double?
    package var height: Double?

    package init(_ width: Double?, _ height: Double?) {
        self.width = width
        self.height = height
    }
}

package struct ViewSize: Equatable {
    package var width: Double
    package var height: Double

    package init(_ width: Double, _ height: Double) {
        self.width = width
        self.height = height
    }
}

package struct GtkWidgetRepresentableContext<Representable: GtkWidgetRepresentable> {
    package let coordinator: Representable.Coordinator
    package init(coordinator: Representable.Coordinator) { self.coordinator = coordinator }
}

package protocol GtkWidgetRepresentable {
    associatedtype GtkWidgetType: Widget
    associatedtype Coordinator = Void
    typealias Context = GtkWidgetRepresentableContext<Self>

    @MainActor func makeGtkWidget(context: Context) -> GtkWidgetType
    @MainActor func updateGtkWidget(_ gtkWidget: GtkWidgetType, context: Context)
    @MainActor func makeCoordinator() -> Coordinator
    @MainActor func sizeThatFits(
        _ proposal: ProposedViewSize,
        gtkWidget: GtkWidgetType,
        context: Context
    ) -> ViewSize
}
