import Foundation

// The settings from which a worker makes each built-in processor again.

extension DefaultImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {}

    init(from reader: inout ProcessorReader) throws(WireError) { self.init() }
}

extension ProcessorChain: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        writer.wire.write(steps.count)
        for step in steps { writer.write(step) }
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        var steps: [any ImageProcessor] = []
        for _ in 0..<(try reader.wire.int(in: 1...PortableProcessors.maxSteps)) {
            steps.append(try reader.processor())
        }
        self.init(steps: steps)
    }
}

extension AnimatedImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        writer.write(processor)
        writer.wire.write(Self.formats.firstIndex(of: format) ?? 0)
        writer.write(compressionQuality)
        writer.wire.write(maxFrameCount)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(
            try reader.processor(),
            format: try reader.choice(of: Self.formats),
            compressionQuality: try reader.number(),
            maxFrameCount: try reader.wire.int()
        )
    }

    /// Every other format fails as the first one does.
    private static var formats: [ImageFormat?] { [.unknown, .GIF, .WebP, .AVIF, nil] }
}

extension DownsamplingImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) { writer.write(size) }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(size: try reader.size())
    }
}

extension ResizingImageProcessor: PortableProcessor {
    private static var modes: [ContentMode] { [.none, .aspectFit, .aspectFill] }

    func write(to writer: inout ProcessorWriter) {
        writer.write(referenceSize)
        writer.wire.write(Self.modes.firstIndex(of: targetContentMode) ?? 0)
        writer.wire.write(prefersSpeed)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(
            referenceSize: try reader.size(),
            mode: try reader.choice(of: Self.modes),
            prefersSpeed: try reader.wire.bool()
        )
    }
}

extension ViewSizeProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        writer.write(size)
        writer.wire.write(covers)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(size: try reader.size(), covers: try reader.wire.bool())
    }
}

extension CroppingImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        writer.write(size)
        writer.write(anchor)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(size: try reader.size(), anchor: try reader.point())
    }
}

extension SmartCroppingImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) { writer.write(size) }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(size: try reader.size())
    }
}

extension TrimmingImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) { writer.write(tolerance) }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(tolerance: try reader.number())
    }
}

extension PaddingImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        for margin in [top, left, bottom, right] { writer.write(margin) }
        writer.write(backgroundColor)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(
            top: try reader.number(),
            left: try reader.number(),
            bottom: try reader.number(),
            right: try reader.number(),
            backgroundColor: try reader.colorIfAny()
        )
    }
}

extension RotatingImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        writer.write(degrees)
        writer.write(backgroundColor)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(degrees: try reader.number(), backgroundColor: try reader.colorIfAny())
    }
}

extension FlippingImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        writer.wire.write(direction == .vertical)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(try reader.wire.bool() ? .vertical : .horizontal)
    }
}

extension RoundCornerImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        writer.write(radius)
        writer.wire.write(targetSize != nil)
        if let targetSize { writer.write(targetSize) }
        writer.wire.write(roundingCorners.rawValue)
        writer.write(backgroundColor)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(
            radius: try reader.radius(),
            targetSize: try reader.wire.bool() ? try reader.size() : nil,
            roundingCorners: RectCorner(rawValue: try reader.wire.int()),
            backgroundColor: try reader.colorIfAny()
        )
    }
}

extension BorderImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        writer.write(border.color)
        writer.write(border.lineWidth)
        writer.write(border.radius)
        writer.wire.write(border.roundingCorners.rawValue)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(
            border: Border(
                color: try reader.color(),
                lineWidth: try reader.number(),
                radius: try reader.radius(),
                roundingCorners: RectCorner(rawValue: try reader.wire.int())
            )
        )
    }
}

extension WatermarkImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        writer.write(watermark)
        writer.write(anchor)
        writer.write(margin)
        writer.write(alpha)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(
            watermark: try reader.image(),
            anchor: try reader.point(),
            margin: try reader.number(),
            alpha: try reader.number()
        )
    }
}

extension BlendImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        writer.wire.write(CGBlendMode.allCases.firstIndex(of: blendMode) ?? 0)
        writer.write(alpha)
        writer.write(backgroundColor)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(
            blendMode: try reader.choice(of: CGBlendMode.allCases),
            alpha: try reader.number(),
            backgroundColor: try reader.colorIfAny()
        )
    }
}

extension ColorControlsProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        for value in [brightness, contrast, saturation, inputEV] { writer.write(value) }
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(
            brightness: try reader.number(),
            contrast: try reader.number(),
            saturation: try reader.number(),
            inputEV: try reader.number()
        )
    }
}

extension BlackWhiteProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {}

    init(from reader: inout ProcessorReader) throws(WireError) { self.init() }
}

extension TintImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) { writer.write(tint) }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(tint: try reader.color())
    }
}

extension OverlayImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        writer.write(overlay)
        writer.write(fraction)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(overlay: try reader.color(), fraction: try reader.number())
    }
}

extension BlurImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) { writer.write(blurRadius) }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(blurRadius: try reader.number())
    }
}

extension SharpeningImageProcessor: PortableProcessor {
    func write(to writer: inout ProcessorWriter) {
        writer.write(amount)
        writer.write(radius)
    }

    init(from reader: inout ProcessorReader) throws(WireError) {
        self.init(amount: try reader.number(), radius: try reader.number())
    }
}
