#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher

/// What users learn about the image of a view: whether it is loading, its badge, and what assistive
/// technology reads.
final class ViewStatus {
    /// Whether an image is shown that is not a placeholder.
    var showsImage = false {
        didSet { if showsImage != oldValue { updateBadge() } }
    }
    /// Whether an image is loading.
    var isBusy = false {
        didSet {
            guard isBusy != oldValue else { return }
            kf_widget_set_busy(picture, isBusy)
            updateBadge()
            indicator.isLoading = isBusy
        }
    }
    /// The error of the current load, if it has failed.
    var failure: KingfisherError? {
        didSet {
            guard failure != nil || oldValue != nil else { return }
            kf_widget_set_failed(picture, failure != nil)
            updateBadge()
            updateTexts()
        }
    }
    var badge: PictureBadge? {
        didSet {
            guard badge != oldValue else { return }
            badgeText = nil
            updateBadge()
            updateTexts()
        }
    }
    /// Whether the view is the content of a list's cell, which gets the name of the view.
    var namesCell = false {
        didSet { if namesCell { kf_list_cell_set_label(picture, name) } }
    }
    /// The PangoLayout with the badge's duration.
    private var badgeText: GObjectReference?
    private let canvas: PictureCanvas
    private let indicator: ViewIndicator

    init(_ canvas: PictureCanvas, _ indicator: ViewIndicator) {
        self.canvas = canvas
        self.indicator = indicator
        updateTexts()
        connect(picture, "notify::alternative-text") { [unowned self] in updateTexts() }
        connect(picture, "direction-changed") { [unowned self] in updateBadge() }
    }

    private var picture: UnsafeMutableRawPointer { canvas.picture }

    /// The alternative text and that of the badge.
    var name: String? {
        guard let badge else { return alternativeText.flatMap { $0.isEmpty ? nil : $0 } }
        let texts = [alternativeText, badge.label, badge.durationText]
            .compactMap { $0 }
            .filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// The text that replaces the image.
    private var alternativeText: String? {
        gtk_picture_get_alternative_text(OpaquePointer(picture)).map { String(cString: $0) }
    }

    /// The alternative text is the name, and the reason of a failure the description: screen
    /// readers are not notified of GTK's state for invalid content.
    private func updateTexts() {
        // Without a label, assistive technology reads the name of the type.
        kf_widget_set_label(picture, name ?? "")
        kf_widget_set_description(picture, failure?.failureReason ?? alternativeText)
        if namesCell { kf_list_cell_set_label(picture, name) }
    }

    /// Shows the badge over an image that is neither a placeholder nor that of a failure.
    private func updateBadge() {
        guard let badge, showsImage, !isBusy, failure == nil else { return canvas.hideBadge() }
        if badgeText == nil, let text = badge.durationText {
            badgeText = kf_widget_make_badge_text(picture, text).map {
                GObjectReference(adopting: $0)
            }
        }
        let isRightToLeft = gtk_widget_get_direction(picture.asWidget) == GTK_TEXT_DIR_RTL
        canvas.showBadge(badgeText, isRightToLeft: isRightToLeft)
    }
}
#endif
