import CGalleryGTK
import Kingfisher
import KingfisherGTK

/// Animations that play while they are on screen, each with a button to pause it.
final class AnimatedPage: Page {
    let widget: Widget
    private let images: [KFImage]

    init(_ pictures: Pictures) {
        images = (0..<12).map { number in
            let image = KFImage(pictures.animated(number * 3))
                .resizable()
                .fade(duration: 0.3)
                .alternativeText("A day in landscape number \(number)")
                .playButton()
                .onFailureView(failureView)
                .retryOnClick()
            image.view.setSizeRequest(width: 240, height: 180)
            image.view.kf.indicator = .spinner
            return image
        }
        widget = made(gtk_scrolled_window_new()).expanding()
        gtk_scrolled_window_set_child(
            widget.opaque,
            flow(spacing: 6, images.map(\.widget)).margin(18)
        )
    }

    /// An image that cannot be made must not keep the page waiting.
    var isReady: Bool { images.allSatisfy { $0.view.image != nil || $0.view.kf.failure != nil } }
}
