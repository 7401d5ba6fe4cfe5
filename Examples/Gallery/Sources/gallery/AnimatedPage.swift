import CGalleryGTK
import Kingfisher
import KingfisherGTK

/// Animations that play while they are on screen.
final class AnimatedPage: Page {
    let widget: Widget
    private let views: [AnimatedPictureView]

    init(_ pictures: Pictures) {
        let flow = made(gtk_flow_box_new())
        gtk_flow_box_set_selection_mode(flow.opaque, GTK_SELECTION_NONE)
        gtk_widget_set_valign(flow, GTK_ALIGN_START)
        views = (0..<12).map { number in
            let view = AnimatedPictureView()
            view.setSizeRequest(width: 240, height: 180)
            // The flow box also distributes remaining space to its columns, and a dithered image
            // shows moiré when it is scaled up.
            gtk_widget_set_halign(view.widget, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(view.widget, GTK_ALIGN_CENTER)
            view.alternativeText = "A day in landscape number \(number)"
            view.kf.indicator = .spinner
            view.kf.setImage(
                with: pictures.animated(number * 3),
                options: [.transition(.fade(0.3))]
            )
            gtk_flow_box_append(flow.opaque, view.widget)
            return view
        }
        let button = made(gtk_button_new_with_label("Stop or go on"))
        gtk_widget_set_halign(button, GTK_ALIGN_START)
        widget = made(gtk_scrolled_window_new()).expanding()
        let content = box(GTK_ORIENTATION_VERTICAL, [button, flow]).margin(12)
        gtk_scrolled_window_set_child(widget.opaque, content)
        connect(UnsafeMutableRawPointer(button), "clicked") { [unowned self] _ in
            for view in views { view.isAnimating ? view.stopAnimating() : view.startAnimating() }
        }
    }

    var isReady: Bool { views.allSatisfy { $0.image != nil && $0.currentFrameIndex > 1 } }
}
