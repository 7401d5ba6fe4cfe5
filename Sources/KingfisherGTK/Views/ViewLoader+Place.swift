#if GTK
import CKFGTKHeaders
import Kingfisher

/// Where the view is, as far as its loads depend on it.
extension ViewLoader {
    /// Waits for the visibility of a view in a row of a list, unless the caller has chosen otherwise.
    ///
    /// Lists show many times as many rows as are visible, and a row may have made the view just now.
    func followRow() {
        if loadStart == nil, !loadsWhenVisible, ListRows.contain(picture.asWidget) {
            loadsWhenVisible = true
        }
    }

    var isInWindow: Bool { gtk_widget_get_root(picture.asWidget) != nil }

    var hasParent: Bool { gtk_widget_get_parent(picture.asWidget) != nil }

    /// Whether the image of a load can be shown without waiting.
    func isInMemory(_ load: PendingLoad) -> Bool {
        let options = sizing.sized(load.options, for: sizing.box)
        guard !options.forceRefresh else { return false }
        let cache = options.targetCache ?? load.manager.cache
        let key = load.source.keyed(by: options.cacheKeyRule).cacheKey
        return cache.retrieveImageInMemoryCache(forKey: key, options: options) != nil
    }
}
#endif
