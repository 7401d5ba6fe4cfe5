#if GTK
import CKFGTK
public import Foundation
public import Kingfisher

/// The indicator that a view shows over its content during loads.
public enum PictureIndicator {
    /// No indicator.
    case none
    /// A ring of dots in the colour of the text, shown from a sixth of a second of loading on, so
    /// that fast loads do not flicker.
    case spinner
    /// An image in the centre.
    ///
    /// - Parameters:
    ///   - size: In logical pixels; nil fills the view as far as the aspect ratio allows.
    ///   - offset: From the centre, in logical pixels.
    case image(KFCrossPlatformImage, size: CGSize? = nil, offset: CGPoint = .zero)
    /// A custom indicator, for widgets beside or over the view. The closure is called with true
    /// when the first load starts and with false when the last one has ended.
    case custom((_ isLoading: Bool) -> Void)
}

/// The indicator of a view.
final class ViewIndicator {
    /// The seconds from the start of a load until the spinner appears.
    private static let delay = 1.0 / 6

    var kind = PictureIndicator.none {
        didSet {
            hideSpinner()
            canvas.setOverlay(nil, size: nil, offset: .zero)
            let wasTold = isTold
            isTold = false
            update()
            if wasTold, case .custom(let body) = oldValue { body(false) }
        }
    }
    /// Whether an image is loading; the indicator is shown during loads only.
    var isLoading = false {
        didSet { update() }
    }
    /// Whether the caller's indicator was last called with true.
    private var isTold = false
    /// The time of the first frame with the spinner, which it does not paint yet.
    private var spinnerStart: Double?
    private let canvas: PictureCanvas
    private let sight: ViewSight

    init(_ canvas: PictureCanvas, _ sight: ViewSight) {
        self.canvas = canvas
        self.sight = sight
    }

    isolated deinit {
        if isTold, case .custom(let body) = kind { body(false) }
    }

    private func update() {
        switch kind {
        case .none: break
        case .spinner:
            guard isLoading else { return hideSpinner() }
            sight.setMoving(.spinner, true)
        case .image(let image, let size, let offset):
            canvas.setOverlay(isLoading ? image : nil, size: size, offset: offset)
        case .custom(let body):
            guard isLoading != isTold else { break }
            isTold = isLoading
            keeping(canvas.picture) { body(isLoading) }
        }
    }

    // MARK: The spinner

    private func hideSpinner() {
        spinnerStart = nil
        canvas.spinnerColor = nil
        sight.setMoving(.spinner, false)
    }

    func advance(to time: Double) {
        guard case .spinner = kind, isLoading else { return }
        let start = spinnerStart ?? time
        spinnerStart = start
        if canvas.spinnerColor == nil, time - start >= Self.delay {
            canvas.spinnerColor = textColor
        }
        // Ten steps per turn, because the ring has ten dots: a frame is painted only if it differs.
        if canvas.spinnerColor != nil { canvas.spinnerPhase = (time * 10).rounded(.down) / 10 }
    }

    private var textColor: SIMD4<Float> {
        var color: [Float] = [0, 0, 0, 1]
        kf_widget_get_color(canvas.picture, &color)
        return SIMD4(color[0], color[1], color[2], color[3])
    }
}
#endif
