#if GTK
import CKFGTKHeaders
import Kingfisher

/// The GListModel of an ``ImageListFactory``.
final class ListModel {
    /// Called with the position of the first item that has changed.
    var onChange: ((Int) -> Void)?
    private let reference: GObjectReference
    private var handler: UInt = 0

    init(_ model: OpaquePointer) {
        let address = UnsafeMutableRawPointer(model)
        reference = GObjectReference(retaining: address)
        handler = connectPassingArgument(address, "items-changed", after: false) { [weak self] in
            self?.onChange?(Int(UInt32(truncatingIfNeeded: $0)))
        }
    }

    // The program may keep the model.
    isolated deinit { g_signal_handler_disconnect(reference.address, gulong(handler)) }

    var count: Int { Int(g_list_model_get_n_items(OpaquePointer(reference.address))) }

    /// The item at a position; nil if there is none.
    func item(at position: Int) -> GObjectReference? {
        g_list_model_get_item(OpaquePointer(reference.address), guint(clamping: position))
            .map { GObjectReference(adopting: $0) }
    }
}

extension ImageListFactory {
    /// The options of the cells' loads, including changes made by `configure`.
    var prefetchOptions: KingfisherOptionsInfo {
        guard let cellOptions else { return options }
        var ahead = options + [.scaleFactor(cellOptions.scaleFactor)]
        ahead.append(.processor(cellOptions.processor))
        if cellOptions.cacheOriginalImage { ahead.append(.cacheOriginalImage) }
        return ahead
    }
}
#endif
