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
    /// Set during loads until the spinner is shown.
    private var spinnerDelay: SpinnerDelay?
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
            if canvas.spinnerColor == nil, spinnerDelay == nil { spinnerDelay = SpinnerDelay() }
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
        spinnerDelay = nil
        canvas.spinnerColor = nil
        sight.setMoving(.spinner, false)
    }

    func advance(to time: Double) {
        if spinnerDelay?.isOver(at: time) == true {
            spinnerDelay = nil
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

/// The time between the start of a load and the appearance of the spinner.
private struct SpinnerDelay {
    private static let seconds = 1.0 / 6
    private var start: Double?

    /// Whether it has passed at the time of a frame; it begins with the first frame.
    mutating func isOver(at time: Double) -> Bool {
        let start = start ?? time
        self.start = start
        return time - start >= Self.seconds
    }
}
#endif
