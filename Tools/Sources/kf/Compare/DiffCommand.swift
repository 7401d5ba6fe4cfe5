import ArgumentParser
import Foundation
import Kingfisher

/// `kf diff`: measures the difference of two images.
struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compares two images: PSNR, DSSIM, and an image of the differences.",
        discussion: """
            PSNR is in decibels: above 40 differences are hardly visible; equal images have none. \
            DSSIM is 0 for equal images. The image written by -o is black where both are equal, \
            and shows differences eight times as strong.

            Examples:
              kf diff before.png after.png -o differences.png
              kf diff photo.jpg photo.webp --min-psnr 35 --json
            """
    )

    @Argument(
        help: "Two images: URLs, paths, or - for standard input.",
        completion: .file(),
        transform: { try PictureSource($0) }
    )
    var sources: [PictureSource]

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("Where to write the image of the differences.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @Option(
        name: [.customShort("p"), .customLong("processor")],
        parsing: .singleValue,
        help: ArgumentHelp("A step for both images, as in kf get.", valueName: "spec"),
        transform: ProcessorSpec.init
    )
    var processors: [ProcessorSpec] = []

    @Option(help: ArgumentHelp("Exit with 1 if the PSNR is lower.", valueName: "dB"))
    var minPsnr: Double?

    @OptionGroup var loading: LoadOptions
    @OptionGroup var overwriting: OverwriteOptions
    @OptionGroup var out: OutputOptions

    func validate() throws {
        guard sources.count == 2 else { throw ValidationError("give two images to compare") }
        if minPsnr?.isNaN == true {
            throw ValidationError("--min-psnr must be a number of decibels")
        }
        if sources[0].text == "-", sources[1].text == "-" {
            throw ValidationError("only one of the images can be standard input")
        }
        if let output, try PictureFormat(ending: output) == nil {
            throw ValidationError(
                "the output must be a file name that ends in a format, such as d.png"
            )
        }
    }

    func run() async throws {
        do {
            if let output { try AtomicFile.checkFolder(of: output) }
            let processor = ProcessorSpec.chain(processors)
            var images: [KFCrossPlatformImage] = []
            for source in sources {
                let load = PictureLoad(source: source, loading: loading, processor: processor)
                do {
                    let image = try await load.run().result.image
                    images.append(image.firstFrame(of: source.title, out))
                } catch {
                    throw ErrorReport.exit(for: error, source: source.title, out)
                }
            }
            let difference = try ImageDifference(images[0], images[1])
            if let output, let format = try PictureFormat(ending: output) {
                let picture = try ImageDifference.picture(of: images[0], and: images[1])
                let data = try await onThread(seconds: loading.timeout) {
                    format.encoding(quality: 1).data(of: picture)
                }
                guard let data else {
                    throw Failure("cannot write the differences as \(format.rawValue)")
                }
                try AtomicFile.write(data, to: output, patience: loading.timeout)
            }
            try out.print(Result(difference, output: output))
            if let minPsnr, difference.psnr < minPsnr {
                let limit = String(format: "%g", minPsnr)
                throw Failure("the images differ more than --min-psnr \(limit) allows")
            }
        } catch {
            throw ErrorReport.exit(for: error, source: nil, out)
        }
    }

    struct Result: Report {
        /// Null for equal images, whose PSNR is infinite.
        let psnr: Double?
        let ssim: Double
        let dssim: Double
        let largestDifference: Int
        let differingPixels: Int
        let width: Int
        let height: Int
        let output: String?

        init(_ difference: ImageDifference, output: String?) {
            psnr = difference.psnr.isFinite ? difference.psnr : nil
            ssim = difference.ssim
            dssim = difference.dssim
            largestDifference = difference.largest
            differingPixels = difference.differing
            width = difference.width
            height = difference.height
            self.output = output
        }

        enum CodingKeys: CodingKey {
            case psnr, ssim, dssim, largestDifference, differingPixels, width, height, output
        }

        // Not synthesized: the synthesized method omits nil.
        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(psnr, forKey: .psnr)
            try values.encode(ssim, forKey: .ssim)
            try values.encode(dssim, forKey: .dssim)
            try values.encode(largestDifference, forKey: .largestDifference)
            try values.encode(differingPixels, forKey: .differingPixels)
            try values.encode(width, forKey: .width)
            try values.encode(height, forKey: .height)
            try values.encode(output, forKey: .output)
        }

        func summary() -> String {
            let share = 100 * Double(differingPixels) / Double(max(1, width * height))
            return """
                PSNR     \(psnr.map { String(format: "%.2f dB", $0) } ?? "equal")
                DSSIM    \(String(format: "%.5f", dssim)) (SSIM \(String(format: "%.5f", ssim)))
                pixels   \(differingPixels) of \(width * height) differ (\
                \(String(format: "%.1f", share)) %), by \(largestDifference) of 255 at most
                """ + (output.map { "\nwritten  \(Terminal.line($0))" } ?? "")
        }
    }
}
