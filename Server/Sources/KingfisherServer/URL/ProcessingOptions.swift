import Foundation

/// The options of a URL of the image service.
///
/// An option that the URL does not name has the value of ``init()``; optional properties are then
/// nil and the configuration decides. Sizes are in pixels.
struct ProcessingOptions: Sendable, Hashable {
    /// The way an image is brought to a size.
    enum ResizingType: String, Sendable, Hashable, CaseIterable {
        case fit, fill, force, auto
        case fillDown = "fill-down"
    }

    /// A place within an image.
    enum Gravity: Sendable, Hashable {
        /// A side or corner; offsets of at least 1 are in pixels, smaller ones relative.
        case compass(Compass, x: Double, y: Double)
        /// The most interesting part of the image.
        case smart
        /// A point, relative to the image's width and height: 0…1.
        case focus(x: Double, y: Double)
    }

    /// A side, corner or the centre.
    enum Compass: String, Sendable, Hashable, CaseIterable {
        case north = "no"
        case south = "so"
        case east = "ea"
        case west = "we"
        case northEast = "noea"
        case northWest = "nowe"
        case southEast = "soea"
        case southWest = "sowe"
        case centre = "ce"
    }

    /// A colour; the components are 0…255.
    struct Colour: Sendable, Hashable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8

        /// Makes a colour.
        init(red: UInt8, green: UInt8, blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }
    }

    /// A canvas larger than the image.
    struct Extend: Sendable, Hashable {
        var isOn = false
        /// The place of the image on the canvas; not smart.
        var gravity = Gravity.compass(.centre, x: 0, y: 0)

        /// No extension.
        init() {}
    }

    /// A part of the source; applied before resizing.
    struct Crop: Sendable, Hashable {
        /// Pixels; below 1 relative to the source's side; 0 for the whole side.
        var width: Double
        var height: Double
        /// The place of the part; nil for the gravity of the request.
        var gravity: Gravity?

        /// Makes a crop.
        init(width: Double, height: Double, gravity: Gravity? = nil) {
            (self.width, self.height, self.gravity) = (width, height, gravity)
        }
    }

    /// Removal of a border of one colour.
    struct Trim: Sendable, Hashable {
        var threshold: Double
        /// The colour of the border; nil for that of the top left pixel.
        var colour: Colour?
        var equalHorizontally = false
        var equalVertically = false

        /// Makes a trim.
        init(threshold: Double) { self.threshold = threshold }
    }

    /// Space around the image, in pixels.
    struct Padding: Sendable, Hashable {
        var top: Int
        var right: Int
        var bottom: Int
        var left: Int

        /// Makes a padding.
        init(top: Int, right: Int, bottom: Int, left: Int) {
            (self.top, self.right, self.bottom, self.left) = (top, right, bottom, left)
        }
    }

    /// An image drawn over the result.
    struct Watermark: Sendable, Hashable {
        /// The place of a watermark.
        enum Position: Sendable, Hashable {
            case at(Compass)
            case tiled
        }

        /// 0…1.
        var opacity: Double
        var position = Position.at(.centre)
        var x: Double = 0
        var y: Double = 0
        /// The size relative to the result; 0 for the watermark's own size.
        var scale: Double = 0

        /// Makes a watermark.
        init(opacity: Double) { self.opacity = opacity }
    }

    /// Search for the lowest quality with a given distance to the best, or the highest one with a given
    /// size.
    struct AutoQuality: Sendable, Hashable {
        /// The goal of the search.
        enum Method: String, Sendable, Hashable, CaseIterable {
            /// Nothing, whatever the configuration says.
            case none
            /// The lowest quality with a distance.
            case dssim
            /// The highest quality with a size.
            case size
        }

        var method = Method.dssim
        /// The largest accepted DSSIM, or size in bytes.
        var target: Double?
        var minimum: Int?
        var maximum: Int?
        /// The accepted deviation from the target.
        var allowedError: Double?

        /// A search with the configuration's values.
        init() {}
    }

    /// A mask that sharpens: each pixel minus its eight neighbours.
    struct UnsharpMask: Sendable, Hashable {
        /// When the mask is applied.
        enum Mode: String, Sendable, Hashable, CaseIterable {
            case none
            /// To images that are scaled down and not sharpened otherwise.
            case auto
            case always
        }

        var mode: Mode
        /// The weight of each neighbour before the division.
        var weight: Double = 1
        /// What the weights are divided by: smaller ones sharpen more.
        var divider: Double = 24

        /// Makes a mask.
        init(mode: Mode) { self.mode = mode }
    }

    /// A colour that is drawn over the image and grows from transparent to its opacity.
    struct Gradient: Sendable, Hashable {
        /// 0…1.
        var opacity: Double
        var colour = Colour(red: 0, green: 0, blue: 0)
        /// The direction in which it grows, in degrees clockwise from down: 90 is left.
        var degrees: Double = 0
        /// Where it begins to grow, 0…1 of the way.
        var start: Double = 0
        /// Where it has its opacity.
        var end: Double = 1

        /// Makes a black gradient that grows downwards.
        init(opacity: Double) { self.opacity = opacity }
    }

    /// Limits that a URL may set where the configuration allows it.
    struct Limits: Sendable, Hashable {
        // nil for the configured limit; 0 for none where a URL can set it to 0.
        var megapixels: Double?
        var fileSize: Int?
        var animationFrames: Int?
        var frameMegapixels: Double?
        var resultDimension: Int?

        /// No limits.
        init() {}
    }

    var resizingType = ResizingType.fit
    /// 0 keeps the aspect ratio; with ``ResizingType/force`` the source's side.
    var width = 0
    var height = 0
    var minimalWidth = 0
    var minimalHeight = 0
    var zoomX: Double = 1
    var zoomY: Double = 1
    /// The factor of the size, offsets, paddings and watermarks; nil if the URL does not name it.
    var dpr: Double?
    var enlarge = false
    var extend = Extend()
    var extendAspectRatio = Extend()
    var gravity = Gravity.compass(.centre, x: 0, y: 0)
    var crop: Crop?
    var trim: Trim?
    var padding: Padding?
    var autoRotate: Bool?
    /// Degrees clockwise: 0, 90, 180 or 270.
    var rotation = 0
    var flipsHorizontally = false
    var flipsVertically = false
    var background: Colour?
    /// The sigma of the Gaussian kernel; 0 for none.
    var blur: Double = 0
    var sharpen: Double = 0
    /// The side of the squares; below 2 for none.
    var pixelate = 0
    var unsharpMask: UnsharpMask?
    var gradient: Gradient?
    /// −255…255.
    var brightness: Double = 0
    /// 1 changes nothing.
    var contrast: Double = 1
    var saturation: Double = 1
    var monochromeIntensity: Double = 0
    var monochromeColour: Colour?
    var watermark: Watermark?
    /// The image of the watermark; nil for the configured one.
    var watermarkSource: ImageReference?
    /// The text of the watermark, in place of an image.
    var watermarkText: WatermarkText?
    /// The sides that the watermark has to fit, in place of its scale; 0 for any.
    var watermarkWidth = 0
    var watermarkHeight = 0
    /// The radius of the corners in pixels; nil for none (not an option of imgproxy).
    var cornerRadius: Double?
    /// 1…100.
    var quality: Int?
    var formatQuality: [OutputFormat: Int] = [:]
    /// The largest result in bytes.
    var maximalBytes: Int?
    var autoQuality: AutoQuality?
    var format: OutputFormat?
    /// Whether the format with the fewest bytes is taken.
    var wantsBest = false
    /// Whether the result is a drawing, an SVG file.
    var wantsDrawing = false
    /// Whether JPEGs are progressive.
    var isProgressive: Bool?
    /// Whether JPEG and AVIF have a quarter of the samples of colour.
    var subsampling: [OutputFormat: ChromaSubsampling] = [:]
    /// How WebP, AVIF and JPEG XL are compressed.
    var compression: [OutputFormat: Compression] = [:]
    /// Whether the colours of PNGs are reduced.
    var quantizes: Bool?
    /// 2…256.
    var maximalColors: Int?
    var stripMetadata: Bool?
    var keepCopyright: Bool?
    var stripColorProfile: Bool?
    /// Sources of these formats are passed on as they are.
    var skipProcessing: Set<OutputFormat> = []
    /// Whether the source is passed on as it is.
    var isRaw = false
    /// The page of a document, from 0.
    var page = 0
    /// The time of a video's frame; nil for a representative one.
    var videoSecond: Double?
    /// Whether animations become stills.
    var disablesAnimation = false
    /// For ``ImageRequest/Kind/info``.
    var wantsThumbHash = false
    var wantsBlurHash = false
    /// The image in place of a source that cannot be had; nil for the configured one.
    var fallbackSource: ImageReference?
    var cacheBuster: String?
    var expires: Date?
    var fileName: String?
    var returnsAttachment: Bool?
    var limits = Limits()

    /// Options that change nothing.
    init() {}
}

/// A format of results.
///
/// The raw value is the file extension.
public enum OutputFormat: String, Sendable, Hashable, CaseIterable {
    /// JPEG.
    case jpeg = "jpg"
    /// PNG.
    case png
    /// WebP.
    case webp
    /// AVIF.
    case avif
    /// GIF.
    case gif
    /// JPEG XL, where libjxl is installed.
    case jxl
}
