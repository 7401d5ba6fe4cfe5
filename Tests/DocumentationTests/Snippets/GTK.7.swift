// Made from Sources/Kingfisher/Kingfisher.docc/GTK.md by DocumentationTests; do not edit.
// swift-format-ignore-file

#if GTK
import Foundation
import Kingfisher
import KingfisherGTK

@MainActor
func makeView(_ url: URL) -> ImageView {
    let view = ImageView()
    view.fit = .cover
    view.kf.indicator = .spinner
    view.alternativeText = "The mountain at dawn"
    view.kf.setImage(with: url, options: [.transition(.fade(0.25))])
    return view
}
#endif
