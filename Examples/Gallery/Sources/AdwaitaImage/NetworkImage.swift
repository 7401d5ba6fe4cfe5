package import Foundation
import KingfisherGTK
package import MetaStandIn  // In a program: Adwaita.

/// An image of a URL in Adwaita for Swift.
package struct NetworkImage: AdwaitaWidget {
    private let url: URL?

    package init(_ url: URL?) { self.url = url }

    package func container<Data>(data: WidgetData, type: Data.Type) -> ViewStorage
    where Data: ViewRenderData {
        ViewStorage(KFImage.makeWidget(for: url) { _ = $0.resizable().fade(duration: 0.2) })
    }

    package func update<Data>(
        _ storage: ViewStorage,
        data: WidgetData,
        updateProperties: Bool,
        type: Data.Type
    ) where Data: ViewRenderData {
        guard updateProperties, let widget = storage.opaquePointer else { return }
        KFImage.bind(widget, to: url)
    }
}
