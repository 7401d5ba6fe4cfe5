// Made from Sources/Kingfisher/Kingfisher.docc/GTK.md by DocumentationTests; do not edit.
// swift-format-ignore-file

#if GTK
import Foundation
import KingfisherGTK

@MainActor
func makeZoomView(_ url: URL) -> KFZoomView {
    let view = KFZoomView()
    view.alternativeText = "The mountain at dawn"
    view.setImage(with: url)
    view.onZoomChange = { print("\(Int($0 * 100)) %") }
    return view
}
#endif
