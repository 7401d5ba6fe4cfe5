#if GTK
import CKFGTKHeaders
import CKFGTK
import Kingfisher

/// A widget that shows the image of a ``PaintableImage``, whose animation plays while it is visible.
final class PaintableHost: FrameListener {
    /// Not retained; the object is removed when the widget is destroyed.
    let widget: UnsafeMutableRawPointer
    let sight = ViewSight()
    private weak var state: PaintableState?

    init(_ widget: UnsafeMutableRawPointer, of state: PaintableState) {
        self.widget = widget
        self.state = state
        connect(widget, "map") { [weak self] in self?.mapped() }
        connect(widget, "unmap") { [weak self] in self?.unmapped() }
        connect(widget, "destroy") { [weak self] in self?.ended() }
        connect(widget, "notify::scale-factor") { [weak self] in self?.state?.updateDensity() }
        if gtk_widget_get_mapped(widget.asWidget) != 0 { mapped() }
    }

    private func mapped() {
        sight.mapped(widget.asWidget, self)
        update()
    }

    private func unmapped() {
        sight.unmapped()
        update()
    }

    private func ended() {
        sight.unmapped()
        state?.remove(self)
    }

    /// Requests frames while there is an animation and the widget is visible.
    func update() {
        let isMoving = state?.isAnimated == true && kf_widget_animations_enabled(widget)
        sight.setMoving(.animation, isMoving)
        let isInSight = isMoving && kf_widget_is_in_sight(widget)
        guard isInSight != sight.isInSight else { return }
        sight.isInSight = isInSight
        if isInSight { state?.appeared() } else { state?.restIfInvisible() }
    }

    func frameBegins(at time: Double) { state?.advance(to: time) }

    func frameIsLaidOut() {
        state?.updateDensity()
        update()
    }

    func motionSettingChanged() { update() }
}

/// A property of an object that shows a paintable; attached to the object and released with it.
final class LoadedProperty {
    private let name: String
    /// Not retained, because it owns this object.
    private let object: UnsafeMutableRawPointer
    /// Keeps the paintable, and so its load, while the property is null.
    private let paintable: GObjectReference?
    private var isLoaded = false

    init(
        _ name: String,
        of object: UnsafeMutableRawPointer,
        _ paintable: UnsafeMutableRawPointer,
        onlyLoaded: Bool
    ) {
        self.name = name
        self.object = object
        self.paintable = onlyLoaded ? GObjectReference(retaining: paintable) : nil
    }

    func update(isLoaded new: Bool) {
        guard new != isLoaded, let paintable else { return }
        isLoaded = new
        kf_object_set_paintable(object, name, new ? paintable.address : nil)
    }
}
#endif
