import Foundation
import Testing

/// Random, mostly invalid texts for `--processor`.
///
/// `KF_FUZZ_ROUNDS` sets their number, 100 by default; `KF_FUZZ_SEED` the first seed.
@Suite(.timeLimit(.minutes(10)))
struct ProcessorSpecFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let rounds = environment["KF_FUZZ_ROUNDS"].flatMap(Int.init) ?? 100
    private static let firstSeed = environment["KF_FUZZ_SEED"].flatMap(UInt64.init) ?? 1

    private static let names = [
        "downsample", "resize", "crop", "smartcrop", "trim", "pad", "round", "border", "rotate",
        "flip", "watermark", "blur", "sharpen", "grayscale", "tint", "overlay", "adjust",
        "background", "blend", "resize", "crop", "", "nonsense",
    ]
    private static let words = [
        "", "0", "-0", "-1", "1", "1.5", "99999999999999999999", "1e308", "1e999", "nan", "inf",
        "-inf", "0x10", "９", "100%", "-5%", "50", "30x20", "x20", "30x", "x", "10x-10", "1e9x1e9",
        "nanxnan", "50%x50%", "10x10@0,0", "10x10@nan,inf", "10x10@", "@", "fit", "fill", "none",
        "#fff", "#12345678", "#ggg", "#", "red", "é", "\u{1F600}", " ", ":", "horizontal",
        "../../x", "%n%s", "--cache",
    ]

    @Test func `a spec gives an image or a reason, whatever it says`() async throws {
        let folder = try TemporaryFolder()
        try TestPictures.png(width: 64, height: 48).write(to: folder.url.appending(path: "in.png"))
        var state = Self.firstSeed
        func draw(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }
        var images = 0
        for _ in 0..<Self.rounds {
            var text = Self.names[draw(Self.names.count)]
            for _ in 0..<draw(4) { text += ":" + Self.words[draw(Self.words.count)] }
            let arguments = ["get", "in.png", "--no-cache", "-o", "out.png", "--processor=\(text)"]
            let outcome = try await KFProgram.run(arguments, in: folder)
            let note = "\(text.debugDescription): \(outcome.status), \(outcome.errors)"
            #expect([0, 1, 64].contains(outcome.status), "\(note)")
            #expect(outcome.status == 0 || outcome.errors.count > 20, "\(note)")
            let output = folder.url.appending(path: "out.png")
            let exists = FileManager.default.fileExists(atPath: output.path)
            #expect(exists == (outcome.status == 0), "\(note)")
            if exists { try FileManager.default.removeItem(at: output) }
            images += outcome.status == 0 ? 1 : 0
        }
        #expect(images < Self.rounds)
        #expect(Self.rounds < 50 || images > 0)
    }
}
