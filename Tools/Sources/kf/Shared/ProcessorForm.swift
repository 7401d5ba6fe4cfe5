import Foundation
import Kingfisher

/// A kind of processor on the command line.
struct ProcessorForm: Sendable {
    /// Its syntax, for help and messages.
    let form: String
    /// The number of its arguments.
    let count: ClosedRange<Int>
    let make: @Sendable (SpecArguments) throws -> any ImageProcessor

    /// The part before the first colon.
    var name: String { String(form.prefix { $0 != ":" && $0 != "[" }) }

    init(
        _ form: String,
        _ count: ClosedRange<Int>,
        make: @escaping @Sendable (SpecArguments) throws -> any ImageProcessor
    ) {
        self.form = form
        self.count = count
        self.make = make
    }

    /// All processors.
    static let all: [ProcessorForm] = sizes + shapes + colours

    private static let sizes = [
        ProcessorForm("downsample:SIZE", 1...1) { try $0.size(0).downsampling },
        ProcessorForm("resize:SIZE[:fit|:fill|:none]", 1...2) {
            let modes = ["fit": .aspectFit, "fill": .aspectFill, "none": ContentMode.none]
            return try $0.size(0).resizing(try $0.choice(1, modes, default: "fit"))
        },
        ProcessorForm("crop:SIZE[@X,Y]", 1...1) {
            let (size, anchor) = $0.split(0, at: "@")
            return CroppingImageProcessor(
                size: try $0.extent(size),
                anchor: try $0.anchor(anchor, default: CGPoint(x: 0.5, y: 0.5))
            )
        },
        ProcessorForm("smartcrop:SIZE", 1...1) {
            SmartCroppingImageProcessor(size: try $0.extent($0.values[0]))
        },
        ProcessorForm("trim[:TOLERANCE]", 0...1) {
            TrimmingImageProcessor(tolerance: try $0.number(0, 0...1, default: 0))
        },
        ProcessorForm("pad:MARGIN[:COLOUR]", 1...2) {
            PaddingImageProcessor(
                all: try $0.number(0, 0...10_000),
                backgroundColor: try $0.colour(1)
            )
        },
    ]

    private static let shapes = [
        ProcessorForm("round:RADIUS|PERCENT%[:COLOUR]", 1...2) {
            RoundCornerImageProcessor(
                radius: try $0.radius(0),
                backgroundColor: try $0.colour(1)
            )
        },
        ProcessorForm("background:COLOUR", 1...1) {
            // Rounding with a radius of 0 only fills the background of transparent parts.
            RoundCornerImageProcessor(radius: .point(0), backgroundColor: try $0.colour(0))
        },
        ProcessorForm("rotate:DEGREES[:COLOUR]", 1...2) {
            RotatingImageProcessor(
                degrees: try $0.number(0, -3600...3600),
                backgroundColor: try $0.colour(1)
            )
        },
        ProcessorForm("flip:horizontal|vertical", 1...1) {
            FlippingImageProcessor(
                try $0.choice(
                    0,
                    ["horizontal": FlipDirection.horizontal, "vertical": .vertical]
                )
            )
        },
        ProcessorForm("border:WIDTH[:COLOUR]", 1...2) {
            let width = try $0.number(0, 0...10_000)
            return BorderImageProcessor(
                border: Border(color: try $0.colour(1) ?? .black, lineWidth: width)
            )
        },
        ProcessorForm("watermark:FILE[@X,Y][:MARGIN[:ALPHA]]", 1...3) {
            let (file, anchor) = $0.placedFile(0)
            return WatermarkImageProcessor(
                watermark: try $0.picture(file),
                anchor: try $0.anchor(anchor, default: CGPoint(x: 1, y: 1)),
                margin: try $0.number(1, 0...10_000, default: 0),
                alpha: try $0.number(2, 0...1, default: 1)
            )
        },
    ]

    private static let colours = [
        ProcessorForm("blur:RADIUS", 1...1) {
            BlurImageProcessor(blurRadius: try $0.number(0, 0...1000))
        },
        ProcessorForm("sharpen:AMOUNT[:RADIUS]", 1...2) {
            SharpeningImageProcessor(
                amount: try $0.number(0, 0...10),
                radius: try $0.number(1, 0...100, default: 1)
            )
        },
        ProcessorForm("bw", 0...0) { _ in BlackWhiteProcessor() },
        ProcessorForm("color:BRIGHTNESS,CONTRAST,SATURATION,EV", 1...1) {
            let values = try $0.numbers(0, count: 4, -100...100)
            return ColorControlsProcessor(
                brightness: values[0],
                contrast: values[1],
                saturation: values[2],
                inputEV: values[3]
            )
        },
        ProcessorForm("tint:COLOUR", 1...1) {
            TintImageProcessor(tint: try $0.colour(0) ?? .clear)
        },
        ProcessorForm("overlay:COLOUR[:FRACTION]", 1...2) {
            OverlayImageProcessor(
                overlay: try $0.colour(0) ?? .clear,
                fraction: try $0.number(1, 0...1, default: 0.5)
            )
        },
        ProcessorForm("blend:MODE[:ALPHA[:COLOUR]]", 1...3) {
            let modes = CGBlendMode.allCases.map { ("\($0)", $0) }
            return BlendImageProcessor(
                blendMode: try $0.choice(0, Dictionary(uniqueKeysWithValues: modes)),
                alpha: try $0.number(1, 0...1, default: 1),
                backgroundColor: try $0.colour(2)
            )
        },
    ]
}
