#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher

/// The context menu and the drag source of a GtkPicture; belongs to its controller.
final class PictureActions {
    /// Asks the user where to save a file of a suggested name; tests replace it.
    ///
    /// The answer is a GFile; nil for none.
    static var chooseFile = ask

    private unowned let controller: PictureController
    private var menu: PictureMenu?
    private(set) var isDraggable = false
    /// The file of the image that the pointer is pressed on, in case that it is dragged.
    private var draggedFile: (image: KFCrossPlatformImage, data: Data, copy: URL?)?
    private var reading: Task<Void, Never>?

    init(of controller: PictureController) {
        self.controller = controller
    }

    isolated deinit { reading?.cancel() }

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    // MARK: Menu

    var contextMenu: PictureMenu? {
        get { menu }
        set {
            menu = newValue
            if let newValue {
                kf_widget_add_menu(
                    controller.picture,
                    newValue.copyTitle,
                    newValue.saveTitle,
                    ActionCallbacks.menu,
                    context
                )
            } else {
                kf_widget_remove_menu(controller.picture)
            }
        }
    }

    fileprivate func handle(_ event: KFMenuEvent) -> Bool {
        guard controller.ownImage != nil else { return false }
        switch event {
        case KF_MENU_COPY: perform { try await $0.copyImage() }
        case KF_MENU_SAVE: perform { try await $0.actions.saveByDialog() }
        default: break
        }
        return true
    }

    private func perform(_ action: @escaping (PictureController) async throws -> Void) {
        let onError = menu?.onError
        // The GtkPicture may leave its window meanwhile; its pointer must stay valid.
        g_object_ref(controller.picture)
        Task { [controller] in
            defer { g_object_unref(controller.picture) }
            do {
                try await action(controller)
            } catch {
                onError?(error)
            }
        }
    }

    /// Opens the dialog, which retains neither the view nor this object.
    private func saveByDialog() async throws {
        // Another image may be shown when the data has arrived.
        let url = controller.loader.imageLoad?.source.url
        let data = try await controller.originalData()
        let name = FileName.suggested(for: url, format: data.kf.imageFormat)
        let onError = menu?.onError
        let title = menu?.saveTitle ?? PictureMenu().saveTitle
        Self.chooseFile(controller, title, name) { file in
            guard let file else { return }
            Task {
                do {
                    try await PictureController.write(data, to: file)
                } catch {
                    onError?(error)
                }
            }
        }
    }

    private static func ask(
        _ controller: PictureController,
        title: String,
        name: String,
        answer: @escaping (GObjectReference?) -> Void
    ) {
        let context = Unmanaged.passRetained(Answer(answer)).toOpaque()
        kf_choose_file(controller.picture, title, name, ActionCallbacks.chosenFile, context)
    }

    // MARK: Dragging

    func setDraggable(_ isDraggable: Bool) {
        guard isDraggable != self.isDraggable else { return }
        self.isDraggable = isDraggable
        if isDraggable {
            let content = ActionCallbacks.dragContent
            kf_widget_add_drag(controller.picture, content, ActionCallbacks.drag, context)
        } else {
            kf_widget_remove_drag(controller.picture)
        }
    }

    /// Reads the file while it is open whether a press becomes a drag, which must not wait for it.
    func pointerChanged(isPressed: Bool) {
        reading?.cancel()
        draggedFile = nil
        guard isPressed, let image = controller.ownImage else { return }
        let url = controller.loader.imageLoad?.source.url
        g_object_ref(controller.picture)
        reading = Task { [weak self, controller] in
            defer { g_object_unref(controller.picture) }
            // Without a file the texture alone is dragged.
            guard let data = try? await controller.originalData(), !Task.isCancelled else { return }
            let isLocal = url?.isFileURL == true
            let name = FileName.suggested(for: url, format: data.kf.imageFormat)
            // Programs such as file managers take only files.
            var copy: URL?
            if !isLocal { copy = await DraggedFiles.write(data, name: name) }
            guard !Task.isCancelled else { return }
            self?.draggedFile = (image, data, copy)
        }
    }

    /// The data of a drag that begins; nil without an image.
    func dragContent() -> GObjectReference? {
        guard let image = controller.ownImage else { return nil }
        let file = draggedFile.flatMap { $0.image === image ? $0 : nil }
        let url = file?.copy ?? controller.loader.imageLoad?.source.url
        return PictureController.content(of: image, from: url, data: file?.data)
    }
}

/// Receives the user's choice of a file.
private final class Answer {
    let body: (GObjectReference?) -> Void
    init(_ body: @escaping (GObjectReference?) -> Void) { self.body = body }
}

/// The C side of ``PictureActions``.
nonisolated private enum ActionCallbacks {
    static var menu: KFMenuHandler {
        { event, context in
            guard let context else { return false }
            let actions = Unmanaged<PictureActions>.fromOpaque(context).takeUnretainedValue()
            return MainActor.assumeIsolated { actions.handle(event) }
        }
    }

    static var drag: KFDragHandler {
        { isPressed, context in
            guard let context else { return }
            let actions = Unmanaged<PictureActions>.fromOpaque(context).takeUnretainedValue()
            MainActor.assumeIsolated { actions.pointerChanged(isPressed: isPressed) }
        }
    }

    static var dragContent: KFDragContent {
        { context in
            guard let context else { return nil }
            let actions = Unmanaged<PictureActions>.fromOpaque(context).takeUnretainedValue()
            let content = MainActor.assumeIsolated { actions.dragContent() }
            // The drag owns it.
            return content.map { UnsafeMutableRawPointer(g_object_ref($0.address)) }
        }
    }

    static var chosenFile: KFChosenFile {
        { file, context in
            guard let context else { return }
            let answer = Unmanaged<Answer>.fromOpaque(context).takeRetainedValue()
            let file = file.map { GObjectReference(retaining: $0) }
            MainActor.assumeIsolated { answer.body(file) }
        }
    }
}
#endif
