import Codecs
import FoundationEssentials
import Pixels

/// What libFuzzer calls with bytes that it invents.
///
/// Everything that reads files is tried: the header, the picture in a size that the bytes choose,
/// and some frames in no good order. Any outcome but a crash, a hang or too much memory is fine,
/// so errors are dropped.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start else { return 0 }
    let data = Data(bytes: start, count: count)
    let choice = data.last ?? 0
    let targets: [DecodeOptions.Target] = [
        .full,
        .fit(PixelSize(width: 20, height: 20)),
        .exact(PixelSize(width: 50, height: 9)),
    ]
    let options = DecodeOptions(
        target: targets[Int(choice % 3)],
        limits: DecodeLimits(
            maxPixelCount: 1 << 20,
            maxDimension: 8192,
            maxFrameCount: 100,
            maxAnimationBytes: 64 << 20,
            maxInputBytes: 1 << 20,
            maxWorkingBytes: 64 << 20
        ),
        truncation: choice & 0x80 == 0 ? .fails : .keepsPartial
    )
    _ = try? Codecs.inspect(data)
    _ = try? Codecs.decode(data, options: options)
    if let decoder = try? FrameDecoder(data, options: options), decoder.frameCount > 1 {
        for index in [decoder.frameCount - 1, 0, decoder.frameCount / 2] {
            _ = try? decoder.frame(at: index)
        }
    }
    return 0
}
