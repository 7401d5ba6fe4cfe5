import ArgumentParser
import Foundation
import Kingfisher

/// `kf icon`: writes an ICO of several sizes.
struct IconCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "icon",
        abstract: "Writes an icon file (ICO) with an image in several sizes.",
        discussion: """
            Of an image that is not square the middle is used. Each size is a PNG in the file, \
            which every browser and Windows since 2007 reads.

            Examples:
              kf icon logo.png -o favicon.ico
              kf icon https://example.com/logo.png -o app.ico --sizes 16,32,48,64,128,256
            """
    )

    @Argument(
        help: "A URL, a path, or - for standard input.",
        completion: .file(),
        transform: { try PictureSource($0) }
    )
    var source: PictureSource

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The file to write.", valueName: "file"),
        completion: .file()
    )
    var output: String

    @Option(
        help: ArgumentHelp(
            "Sides in pixels, 1 to 256, separated by commas. (default: 16,32,48,256)",
            valueName: "list"
        ),
        transform: Self.sizes
    )
    var sizes: [Int] = [16, 32, 48, 256]

    @OptionGroup var loading: LoadOptions
    @OptionGroup var overwriting: OverwriteOptions
    @OptionGroup var out: OutputOptions

    func validate() throws {
        try loading.check(source)
        if output.isEmpty || output == "-" { throw ValidationError("name a file with -o") }
        guard ["", "ico"].contains((output as NSString).pathExtension.lowercased()) else {
            throw ValidationError("the output is an .ico file; kf get writes other formats")
        }
    }

    func run() async throws {
        do {
            try AtomicFile.checkFolder(of: output)
            let load = PictureLoad(source: source, loading: loading, processor: nil)
            let file = try await withDeadline(seconds: loading.timeout) { [sizes, source, out] in
                let image = try await load.run().result.image.firstFrame(of: source.title, out)
                return try await onThread { try Self.file(of: image, sizes) }
            }
            try AtomicFile.write(file, to: output, patience: loading.timeout)
            try out.print(
                Result(source: source.text, output: output, sizes: sizes, bytes: file.count)
            )
        } catch {
            throw ErrorReport.exit(for: error, source: source.title, out)
        }
    }

    /// An ICO of an image.
    private static func file(of image: KFCrossPlatformImage, _ sizes: [Int]) throws -> Data {
        let pictures = try sizes.map { side in
            try Task.checkCancellation()
            let size = CGSize(width: side, height: side)
            let square = image.kf.resize(to: size, for: .aspectFill)
                .kf.crop(to: size, anchorOn: CGPoint(x: 0.5, y: 0.5))
            guard let data = square.pngData() else {
                throw Failure("cannot make an icon of \(side) pixels of this image")
            }
            return (side: side, data: data)
        }
        return file(of: pictures)
    }

    /// An ICO: a head, an entry for each picture, and their files.
    private static func file(of pictures: [(side: Int, data: Data)]) -> Data {
        func little(_ number: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        var head = Data(little(0, 2) + little(1, 2) + little(pictures.count, 2))
        var place = head.count + pictures.count * 16
        for (side, data) in pictures {
            // A side of 256 is stored as 0. One plane of 32 bits per pixel.
            head += little(side, 1) + little(side, 1) + [0, 0] + little(1, 2) + little(32, 2)
            head += little(data.count, 4) + little(place, 4)
            place += data.count
        }
        return pictures.reduce(head) { $0 + $1.data }
    }

    private static func sizes(_ text: String) throws -> [Int] {
        let sizes = try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            guard let side = Int(part), (1...256).contains(side) else {
                throw ValidationError("'\(part)' is no side of an icon; write 1 to 256")
            }
            return side
        }
        return Set(sizes).sorted()
    }

    /// The icon that was written.
    private struct Result: Report {
        let source: String
        let output: String
        let sizes: [Int]
        let bytes: Int

        func summary() -> String {
            "\(Terminal.line(output))  \(sizes.map(String.init).joined(separator: ", ")) pixels, "
                + Readable.bytes(bytes)
        }
    }
}
