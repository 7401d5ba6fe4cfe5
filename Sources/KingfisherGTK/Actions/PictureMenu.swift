#if GTK
public import Foundation
public import Kingfisher

/// A context menu to copy and save the image of a view.
///
/// ```swift
/// view.kf.contextMenu = PictureMenu()
/// ```
///
/// It opens on the secondary button, a long press of a finger, the menu key and Shift+F10, unless a
/// placeholder or the image of a failure is shown. Control+C copies while the view has the focus, which
/// a line inside of its edges shows.
public struct PictureMenu {
    /// The title of the entry that copies the image.
    public var copyTitle: String

    /// The title of the entry that saves the image, and of the dialog for the file.
    public var saveTitle: String

    /// Called when the image could not be copied or saved.
    public var onError: ((any Error) -> Void)?

    /// Makes a menu.
    ///
    /// - Parameters:
    ///   - copyTitle: The title of the entry that copies the image; an underscore precedes the
    ///     letter to press.
    ///   - saveTitle: The title of the entry that saves the image, and of the dialog for the file.
    ///   - onError: Called on the main actor when the image could not be copied or saved.
    public init(
        copyTitle: String = "Copy Image",
        saveTitle: String = "Save Image As…",
        onError: ((any Error) -> Void)? = nil
    ) {
        self.copyTitle = copyTitle
        self.saveTitle = saveTitle
        self.onError = onError
    }
}

extension KingfisherWrapper where Base: GtkPictureProviding {
    /// The menu to copy and save the image; nil, the default, for none.
    public var contextMenu: PictureMenu? {
        get { base.controller.actions.contextMenu }
        nonmutating set { base.controller.actions.contextMenu = newValue }
    }

    /// Whether the image can be dragged to other programs; false by default.
    ///
    /// They are offered the bytes of the image's file, its pixels, and a file: the local one, or a
    /// temporary copy of a remote one.
    public var isDraggable: Bool {
        get { base.controller.actions.isDraggable }
        nonmutating set { base.controller.actions.setDraggable(newValue) }
    }

    /// The file of the image that is shown, as its source delivered it.
    ///
    /// The bytes come from the disk cache, or else from the source. An image that was set without a
    /// source gives a PNG. A placeholder and the image of a failure are no image.
    ///
    /// - Throws: ``KingfisherError``; `emptySource` if no image is shown.
    public func originalData() async throws -> Data {
        try await base.controller.originalData()
    }

    /// Puts the image on the clipboard: the bytes of its file, and its pixels.
    ///
    /// - Throws: ``KingfisherError``; `emptySource` if no image is shown.
    public func copyImage() async throws { try await base.controller.copyImage() }

    /// Writes the file of the image, as its source delivered it, to a local URL.
    ///
    /// An existing file is replaced at once or, if an error is thrown, not at all.
    ///
    /// - Throws: ``KingfisherError``; an error of Foundation if the file cannot be written.
    public func saveImage(to url: URL) async throws {
        try await base.controller.saveImage(to: url)
    }
}
#endif
