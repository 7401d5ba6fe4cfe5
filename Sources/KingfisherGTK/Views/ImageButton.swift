#if GTK
public import CKFGTKHeaders
import CKFGTK
public import Kingfisher

/// A button with an image, and optionally another one while it is pressed or checked.
///
/// ```swift
/// let button = ImageButton()
/// button.kf.setImage(with: url)
/// button.kf.setAlternateImage(with: pressedURL)
/// ```
public final class ImageButton: GtkButtonProviding {
    /// The GtkButton.
    public let gtkButton: UnsafeMutablePointer<GtkButton>
    private let reference: WidgetReference

    /// Makes a new button.
    ///
    /// - Precondition: GTK is initialised.
    public init() {
        precondition(gtk_is_initialized() != 0, "GTK is not initialised yet")
        guard let widget = gtk_button_new() else { preconditionFailure("GTK has no memory") }
        reference = WidgetReference(retaining: UnsafeMutableRawPointer(widget))
        gtkButton = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkButton.self)
    }

    /// Attaches to an existing button, such as a toggle button.
    ///
    /// The button's child is replaced when the first image is set.
    public init(button: UnsafeMutablePointer<GtkButton>) {
        reference = WidgetReference(retaining: UnsafeMutableRawPointer(button))
        gtkButton = button
    }

    /// The button's name for assistive technology, which cannot derive one from the image.
    public var accessibleLabel: String? {
        get { ButtonController.of(gtkButton).label }
        set { ButtonController.of(gtkButton).label = newValue }
    }

    /// The GtkButton as a GtkWidget.
    public var widget: UnsafeMutablePointer<GtkWidget> {
        UnsafeMutableRawPointer(gtkButton).asWidget
    }
}

/// An object that is or has a GtkButton; conformance adds `.kf.setImage`.
///
/// ```swift
/// extension Button: @retroactive GtkButtonProviding, @retroactive GtkPictureProviding,
///     @retroactive AlternateImageDisplaying, @retroactive ImageDisplaying
/// {
///     public var gtkButton: OpaquePointer? { opaquePointer }
/// }
/// ```
public protocol GtkButtonProviding: GtkPictureProviding, AlternateImageDisplaying {
    /// The pointer type of the binding.
    associatedtype ButtonPointer: GtkObjectPointer

    /// The GtkButton; it must live at least as long as the object.
    var gtkButton: ButtonPointer { get }
}

extension GtkButtonProviding {
    /// The GtkPicture in the button; on first use it becomes the button's child.
    public var gtkPicture: OpaquePointer { buttonController.image.gtkPicture }

    /// The loads of the image that the button shows while it is pressed or checked.
    public var alternateImageLoads: ImageLoads<KFCrossPlatformImage> {
        buttonController.alternate.imageLoads
    }

    /// The controller of the button's images.
    ///
    /// - Precondition: The pointer is not nil.
    var buttonController: ButtonController {
        guard let button = gtkButton.gtkAddress else {
            preconditionFailure("gtkButton is nil: set images once the object has its GtkButton")
        }
        return .of(button.assumingMemoryBound(to: GtkButton.self))
    }
}

/// A state of a button that can have an image of its own.
public enum ButtonImageState: Sendable, CaseIterable {
    // In the order in which they count, if several are true.

    /// The button cannot be used.
    case disabled
    /// The button is pressed.
    case pressed
    /// A toggle button is on.
    case checked
    /// The pointer is over the button.
    case hovered
    /// The button has the focus.
    case focused

    fileprivate var flags: GtkStateFlags {
        switch self {
        case .disabled: GTK_STATE_FLAG_INSENSITIVE
        case .pressed: GTK_STATE_FLAG_ACTIVE
        case .checked: GTK_STATE_FLAG_CHECKED
        case .hovered: GTK_STATE_FLAG_PRELIGHT
        case .focused: GTK_STATE_FLAG_FOCUSED
        }
    }
}

/// The images of a button; attached to the button and released with it.
final class ButtonController {
    private static let data = ObjectData<ButtonController>(name: "kingfisher-button")

    let image = ImageView()
    let alternate = ImageView()
    /// The images of states, made at first use.
    private var views: [ButtonImageState: ImageView] = [:]
    var label: String? {
        didSet { kf_widget_set_label(button, label) }
    }
    /// Not retained: the button owns this object.
    private let button: UnsafeMutableRawPointer
    /// Retained, because the caller may replace the button's child.
    private let stack: GObjectReference

    static func of(_ button: UnsafeMutablePointer<GtkButton>) -> ButtonController {
        let owner = UnsafeMutableRawPointer(button)
        if let controller = data.value(of: owner) { return controller }
        let controller = ButtonController(button)
        data.set(controller, on: owner)
        return controller
    }

    private init(_ button: UnsafeMutablePointer<GtkButton>) {
        self.button = UnsafeMutableRawPointer(button)
        guard let widget = gtk_stack_new() else { preconditionFailure("GTK has no memory") }
        stack = GObjectReference(retaining: UnsafeMutableRawPointer(widget))
        gtk_stack_add_child(OpaquePointer(widget), image.widget)
        gtk_button_set_child(button, widget)
        add(alternate)
        connect(self.button, "state-flags-changed") { [unowned self] in update() }
        update()
    }

    /// The view with the image of a state.
    func view(for state: ButtonImageState) -> ImageView {
        if let view = views[state] { return view }
        let view = ImageView()
        views[state] = view
        add(view)
        return view
    }

    private func add(_ view: ImageView) {
        gtk_stack_add_child(OpaquePointer(stack.address), view.widget)
        // Weak, because the view may outlive this object.
        view.controller.content.onChange = { [weak self] in self?.update() }
    }

    /// Shows the image of the first state that is true and has one; otherwise that of the button.
    private func update() {
        let flags = gtk_widget_get_state_flags(button.asWidget).rawValue
        let candidates = ButtonImageState.allCases
            .filter { flags & $0.flags.rawValue != 0 }
            .flatMap { state in
                let isDown = state == .pressed || state == .checked
                return [views[state], isDown ? alternate : nil]
            }
        let shown = candidates.compactMap { $0 }.first { $0.image != nil } ?? image
        gtk_stack_set_visible_child(OpaquePointer(stack.address), shown.widget)
    }
}
#endif
