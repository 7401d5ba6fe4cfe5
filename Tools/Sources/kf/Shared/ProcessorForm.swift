import Foundation
import Kingfisher

/// A kind of processor on the command line.
struct ProcessorForm: Sendable {
    /// Makes a processor of arguments, with the ranges of its numbers.
    typealias Make =
        @Sendable (SpecArguments, [ClosedRange<Double>]) throws -> any ImageProcessor

    /// Its syntax, for help and messages.
    let form: String
    /// The number of its arguments.
    let count: ClosedRange<Int>
    /// The ranges of its numbers by their names in the syntax.
    private let ranges: KeyValuePairs<String, ClosedRange<Double>>
    private let read: Make

    /// The part before the first colon.
    var name: String { String(form.prefix { $0 != ":" && $0 != "[" }) }

    /// Its syntax with the ranges of its numbers, for help.
    var help: String {
        let texts = ranges.map { "\($0.key) \(SpecArguments.text(of: $0.value))" }
        return texts.isEmpty ? form : "\(form)  (\(texts.joined(separator: ", ")))"
    }

    init(
        _ form: String,
        _ count: ClosedRange<Int>,
        _ ranges: KeyValuePairs<String, ClosedRange<Double>>,
        read: @escaping Make
    ) {
        self.form = form
        self.count = count
        self.ranges = ranges
        self.read = read
    }

    /// A processor without numbers, or with sizes only.
    init(
        _ form: String,
        _ count: ClosedRange<Int>,
        read: @escaping @Sendable (SpecArguments) throws -> any ImageProcessor
    ) {
        self.init(form, count, [:]) { arguments, _ in try read(arguments) }
    }

    func make(_ arguments: SpecArguments) throws -> any ImageProcessor {
        try read(arguments, ranges.map(\.value))
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
            SmartCroppingImageProcessor(size: try $0.box(0))
        },
        ProcessorForm("trim[:TOLERANCE]", 0...1, ["TOLERANCE": 0...1]) {
            TrimmingImageProcessor(tolerance: try $0.number(0, $1[0], default: 0))
        },
        ProcessorForm("pad:MARGIN[:COLOUR]", 1...2, ["MARGIN": 0...10_000]) {
            PaddingImageProcessor(
                all: try $0.number(0, $1[0]),
                backgroundColor: try $0.colour(1)
            )
        },
    ]

    private static let shapes = [
        ProcessorForm(
            "round:RADIUS|PERCENT%[:COLOUR]",
            1...2,
            ["RADIUS": 0...65_535, "PERCENT": 0...100]
        ) {
            RoundCornerImageProcessor(
                radius: try $0.radius(0, $1[0], percent: $1[1]),
                backgroundColor: try $0.colour(1)
            )
        },
        ProcessorForm("background:COLOUR", 1...1) {
            // Rounding with a radius of 0 only fills the background of transparent parts.
            RoundCornerImageProcessor(radius: .point(0), backgroundColor: try $0.colour(0))
        },
        ProcessorForm("rotate:DEGREES[:COLOUR]", 1...2, ["DEGREES": -3600...3600]) {
            RotatingImageProcessor(
                degrees: try $0.number(0, $1[0]),
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
        ProcessorForm("border:WIDTH[:COLOUR]", 1...2, ["WIDTH": 0...10_000]) {
            let width = try $0.number(0, $1[0])
            return BorderImageProcessor(
                border: Border(color: try $0.colour(1) ?? .black, lineWidth: width)
            )
        },
        ProcessorForm(
            "watermark:FILE[@X,Y][:MARGIN[:ALPHA]]",
            1...3,
            ["MARGIN": 0...10_000, "ALPHA": 0...1]
        ) {
            let (file, anchor) = $0.placedFile(0)
            return WatermarkImageProcessor(
                watermark: try $0.picture(file),
                anchor: try $0.anchor(anchor, default: CGPoint(x: 1, y: 1)),
                margin: try $0.number(1, $1[0], default: 0),
                alpha: try $0.number(2, $1[1], default: 1)
            )
        },
    ]

    /// The step of a radius of 0, for which the library takes its smallest one.
    private static let unchanged: any ImageProcessor = SharpeningImageProcessor(amount: 0)

    private static let colours = [
        ProcessorForm("blur:RADIUS", 1...1, ["RADIUS": 0...1000]) {
            let radius = try $0.number(0, $1[0])
            return radius > 0 ? BlurImageProcessor(blurRadius: radius) : unchanged
        },
        ProcessorForm(
            "sharpen:AMOUNT[:RADIUS]",
            1...2,
            ["AMOUNT": 0...10, "RADIUS": 0...100]
        ) {
            let radius = try $0.number(1, $1[1], default: 1)
            guard radius > 0 else { return unchanged }
            return SharpeningImageProcessor(amount: try $0.number(0, $1[0]), radius: radius)
        },
        ProcessorForm("bw", 0...0) { _ in BlackWhiteProcessor() },
        ProcessorForm(
            "color:BRIGHTNESS,CONTRAST,SATURATION,EV",
            1...1,
            ["each": -100...100]
        ) {
            let values = try $0.numbers(0, count: 4, $1[0])
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
        ProcessorForm("overlay:COLOUR[:FRACTION]", 1...2, ["FRACTION": 0...1]) {
            OverlayImageProcessor(
                overlay: try $0.colour(0) ?? .clear,
                fraction: try $0.number(1, $1[0], default: 0.5)
            )
        },
        ProcessorForm("blend:MODE[:ALPHA[:COLOUR]]", 1...3, ["ALPHA": 0...1]) {
            let modes = CGBlendMode.allCases.map { ("\($0)", $0) }
            return BlendImageProcessor(
                blendMode: try $0.choice(0, Dictionary(uniqueKeysWithValues: modes)),
                alpha: try $0.number(1, $1[0], default: 1),
                backgroundColor: try $0.colour(2)
            )
        },
    ]
}
