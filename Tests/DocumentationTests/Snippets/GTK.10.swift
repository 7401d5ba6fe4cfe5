// Made from Sources/Kingfisher/Kingfisher.docc/GTK.md by DocumentationTests; do not edit.
// swift-format-ignore-file

#if GTK
import Foundation
import Kingfisher
import KingfisherGTK

@MainActor
func makeAlbum(_ model: OpaquePointer, failure: KFCrossPlatformImage) -> ImageListFactory {
    let cells = ImageListFactory(
        cellSize: CGSize(width: 160, height: 120),
        model: model
    ) { item in
        ListImage(item.string.flatMap(URL.init), label: item.string, menu: PictureMenu())
    }
    cells.failureImage = failure
    cells.onFailure = { position, error, _ in print(position, error.failureReason ?? "") }
    return cells
}
#endif
