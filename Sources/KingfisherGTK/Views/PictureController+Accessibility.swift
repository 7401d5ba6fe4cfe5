#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

/// What assistive technology reads.
extension PictureController {
    /// The text that replaces the image.
    var alternativeText: String? {
        gtk_picture_get_alternative_text(OpaquePointer(picture)).map { String(cString: $0) }
    }

    /// The alternative text and that of the badge.
    var accessibleName: String? {
        let texts = [alternativeText, badge?.label, badge?.durationText]
            .compactMap { $0 }
            .filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// The alternative text is the name, and the reason of a failure the description: screen
    /// readers are not notified of GTK's state for invalid content.
    func updateAccessibility() {
        // Without a label, assistive technology reads the name of the type.
        kf_widget_set_label(picture, accessibleName ?? "")
        kf_widget_set_description(picture, failure?.error.failureReason ?? alternativeText)
        if position != nil { kf_list_cell_set_label(picture, accessibleName) }
    }

    func failureChanged(from old: FailedLoad?) {
        guard failure?.load !== old?.load else { return }
        kf_widget_set_failed(picture, hasFailed)
        updateBadge()
        updateAccessibility()
        if hasFailed {
            NetworkReturn.shared.add(self)
        } else {
            NetworkReturn.shared.remove(ObjectIdentifier(self))
        }
    }
}
#endif
