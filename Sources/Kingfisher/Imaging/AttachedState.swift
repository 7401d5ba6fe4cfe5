import Foundation

/// What an image carries besides its pixels.
package struct AttachedState: Sendable {
    /// The encoded bytes of an animation.
    var animatedData: Data?
    /// How many frames the encoded animation has; nil when it was not made from one.
    var frameCount: Int?
    /// Decodes further frames on demand.
    var frameSource: (any ImageFrameSource)?
    /// How the image was made from its bytes.
    var creatingOptions: ImageCreatingOptions?

    package init() {}
}
