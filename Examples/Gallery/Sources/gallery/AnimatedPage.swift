import CGalleryGTK
import Kingfisher
import KingfisherGTK

/// Animations that play while they are on screen, each with a button to pause it.
final class AnimatedPage: Page {
    let widget: Widget
    private let images: [KFImage]

    init(_ pictures: Pictures) {
        let grid = made(gtk_grid_new())
        gtk_grid_set_column_spacing(grid.cast(), 12)
        gtk_grid_set_row_spacing(grid.cast(), 12)
        gtk_widget_set_halign(grid, GTK_ALIGN_CENTER)
        images = (0..<12).map { number in
            let image = KFImage(pictures.animated(number * 3))
                .resizable()
                .fade(duration: 0.3)
                .alternativeText("A day in landscape number \(number)")
                .playButton()
            image.view.setSizeRequest(width: 240, height: 180)
            image.view.kf.indicator = .spinner
            gtk_grid_attach(grid.cast(), image.widget, Int32(number % 4), Int32(number / 4), 1, 1)
            return image
        }
        widget = made(gtk_scrolled_window_new()).expanding()
        gtk_scrolled_window_set_child(widget.opaque, grid.margin(18))
    }

    var isReady: Bool { images.allSatisfy { $0.view.image != nil } }
}
