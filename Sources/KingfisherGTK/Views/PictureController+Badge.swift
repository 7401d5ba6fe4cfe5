#if GTK
import CGTK
import CKFGTK
import Kingfisher

extension PictureController {
    /// Shows the badge over an image that is neither a placeholder nor that of a failure.
    func updateBadge() {
        let isOver = image != nil && !isBusy && !hasFailed && pending == nil
        guard let badge, isOver else { return canvas.hideBadge() }
        if badgeText == nil, let text = badge.durationText {
            badgeText = kf_widget_make_badge_text(picture, text).map {
                GObjectReference(adopting: $0)
            }
        }
        let isRightToLeft = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL
        canvas.showBadge(badgeText, isRightToLeft: isRightToLeft)
    }
}
#endif
