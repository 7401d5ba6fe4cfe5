// A view model that loads images with async and await, independent of a toolkit.
import Exhibition
import Foundation
import Kingfisher

@main
struct ViewModelExample {
    @MainActor
    static func main() async throws {
        let exhibition = try Exhibition()
        let manager = KingfisherManager(downloader: .default, cache: try temporaryCache())
        let gallery = GalleryViewModel(manager: manager)
        let urls = (1...6).map { exhibition.url("/photo-\($0).jpg") }
        let missing = exhibition.url("/missing.jpg")

        for url in urls + [missing] { gallery.appear(url) }
        await gallery.settle()
        check(gallery.loadedCount == urls.count, "every visible image is loaded")
        if case .loaded(let image, _) = gallery.phase(of: urls[0]) {
            check(image.size.width <= 160, "in the size of a cell")
        }
        if case .failed(let reason) = gallery.phase(of: missing) {
            check(!reason.isEmpty, "a missing image reports the reason: \(reason)")
        } else {
            check(false, "a missing image reports the reason")
        }

        let late = exhibition.url("/late.jpg")
        gallery.appear(late)
        gallery.disappear(late)
        await gallery.settle()
        if case .waiting = gallery.phase(of: late) {
            check(true, "a cell that is no longer visible is back to waiting")
        } else {
            check(false, "a cell that is no longer visible is back to waiting")
        }

        let again = GalleryViewModel(manager: manager)
        again.appear(urls[0])
        await again.settle()
        if case .loaded(_, let type) = again.phase(of: urls[0]) {
            check(type == .memory, "another screen gets the image from memory")
        }
    }
}
