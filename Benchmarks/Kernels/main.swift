import KFPixels

// Runs one kernel repeatedly on noise, for a tool that counts instructions:
//
//     kernel-count                    lists the kernels with their numbers of pixels
//     kernel-count NAME REPETITIONS
//
// See `Scripts/kernels.sh`, which subtracts a short run from a longer one. The bitmaps are small
// enough that no kernel uses a second thread.

/// A kernel to count.
struct Kernel {
    let name: String
    /// The divisor of the count: source or target pixels, whichever are more.
    let pixels: Int
    let run: () throws -> Bitmap

    init(_ name: String, pixels: Int = 256 * 256, _ run: @escaping () throws -> Bitmap) {
        self.name = name
        self.pixels = pixels
        self.run = run
    }
}

func noise(_ width: Int, _ height: Int, isOpaque: Bool) throws -> Bitmap {
    var state: UInt64 = 1
    let size = PixelSize(width: width, height: height)
    return try Bitmap(size: size, isOpaque: isOpaque) { pixels, bytesPerRow in
        let end = pixels + bytesPerRow * height
        var pixel = pixels
        while pixel < end {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            pixel.pointee = UInt8(truncatingIfNeeded: state >> 40)
            if isOpaque, (end - pixel) % 4 == 1 { pixel.pointee = 255 }
            pixel += 1
        }
        if !isOpaque { premultiplyRow(pixels, width: width * height) }
    }
}

let opaque = try noise(256, 256, isOpaque: true)
let clear = try noise(256, 256, isOpaque: false)
let colour = RGBA(red: 255, green: 50, blue: 0, alpha: 100)

let grey = ColorMatrix.controls(saturation: 0, exposure: 0.7)
let controls = ColorMatrix.controls(brightness: 0.1, contrast: 1.1, saturation: 0.8)

func resized(
    _ width: Int,
    _ height: Int,
    _ backend: Convolution.Backend,
    of bitmap: Bitmap = opaque
) throws -> Bitmap {
    let size = PixelSize(width: width, height: height)
    return try resample(bitmap, to: size, filter: .lanczos3, backend: backend)
}

var kernels = [
    Kernel("resize-tenth") { try resized(25, 25, Convolution.backend) },
    Kernel("resize-third") { try resized(85, 85, Convolution.backend) },
    Kernel("resize-double", pixels: 384 * 384) { try resized(384, 384, Convolution.backend) },
    // Colours are limited to alpha here.
    Kernel("resize-third-clear") { try resized(85, 85, Convolution.backend, of: clear) },
    Kernel("resize-double-clear", pixels: 384 * 384) {
        try resized(384, 384, Convolution.backend, of: clear)
    },
    Kernel("resize-third-swift") { try resized(85, 85, .portable) },
    Kernel("resize-double-swift", pixels: 384 * 384) { try resized(384, 384, .portable) },
    Kernel("blur") { try blur(opaque, radius: 10) },
    Kernel("blur-swift") { try boxBlur(opaque, size: 19, passes: 3, backend: .portable) },
    Kernel("black-white") { try applyColorMatrix(opaque, grey) },
    Kernel("black-white-swift") { try applyColorMatrix(opaque, grey, backend: .portable) },
    Kernel("color") { try applyColorMatrix(opaque, controls) },
    Kernel("color-swift") { try applyColorMatrix(opaque, controls, backend: .portable) },
    Kernel("tint") { try tint(opaque, color: colour) },
    Kernel("tint-swift") { try tint(opaque, color: colour, backend: .portable) },
    Kernel("overlay") { try overlay(opaque, color: colour, fraction: 0.5) },
    Kernel("overlay-swift") {
        try overlay(opaque, color: colour, fraction: 0.5, backend: .portable)
    },
    Kernel("round") { try roundCorners(opaque, radii: CornerRadii(all: 50)) },
    Kernel("rotate-90") { try reorient(opaque, .right) },
]
let modes: [BlendMode] = [
    .normal, .multiply, .overlay, .softLight, .hue, .saturation, .color, .luminosity, .sourceIn,
    .plusDarker, .plusLighter,
]
for mode in modes {
    kernels.append(Kernel("blend-\(mode)") { try composite(clear, over: opaque, mode: mode) })
    kernels.append(
        Kernel("blend-\(mode)-swift") {
            try composite(clear, over: opaque, mode: mode, backend: .portable)
        }
    )
}

let arguments = CommandLine.arguments.dropFirst()
if arguments.isEmpty {
    for kernel in kernels { print(kernel.name, kernel.pixels) }
} else {
    guard arguments.count == 2, let kernel = kernels.first(where: { $0.name == arguments[1] }),
        let repetitions = Int(arguments[2])
    else { fatalError("usage: kernel-count [NAME REPETITIONS]") }
    var bytes = 0
    for _ in 0..<repetitions { bytes &+= try kernel.run().byteCount }
    print(bytes)
}
