import Foundation
@_spi(Programs) import Kingfisher

/// An image in one variant, loaded once per pass.
struct DemoLoad: Sendable {
    let picture: String
    /// In pixels, before processing; nil if the demonstration did not generate the image.
    let size: (width: Int, height: Int)?
    let variant: DemoVariant
    /// The name of the picture, of a URL without its query.
    var title: String { picture.disclosing(.path) }
    var image: KFCrossPlatformImage?
    var passes: [DemoPass.Outcome] = []
}

/// One pass over all images.
struct DemoPass: Sendable {
    /// The outcome of a load: its cache type and time, or the error.
    enum Outcome: Sendable {
        case loaded(from: CacheType, milliseconds: Double)
        case failed(String)

        var text: String {
            switch self {
            case .loaded(.none, let time): "loaded  \(Self.column(time))"
            case .loaded(let cache, let time): "\(cache)  \(Self.column(time))"
            case .failed: "failed"
            }
        }

        private static func column(_ time: Double) -> String {
            let text = Readable.milliseconds(time)
            return String(repeating: " ", count: max(0, 8 - text.count)) + text
        }
    }

    let title: String
    let expected: CacheType
}

/// The loads of `kf demo`.
struct DemoLoads {
    let manager: KingfisherManager
    let timeout: Double

    static let passes = [
        DemoPass(title: "first time", expected: .none),
        DemoPass(title: "again", expected: .memory),
        DemoPass(title: "memory emptied", expected: .disk),
    ]

    /// Loads all images once, one after the other, so that the times are comparable.
    ///
    /// - Returns: One sentence for each load that differs from the pass's expectation.
    func run(_ pass: DemoPass, over loads: inout [DemoLoad], at urls: [URL]) async -> [String] {
        var surprises: [String] = []
        for index in loads.indices {
            let outcome = await load(urls[index], loads[index].variant)
            switch outcome {
            case .success(let result):
                loads[index].image = result.image
                let time = result.timings.total.map(LoadReport.Timings.milliseconds) ?? 0
                loads[index].passes.append(.loaded(from: result.cacheType, milliseconds: time))
                if result.cacheType != pass.expected {
                    surprises.append(
                        "\(loads[index].picture), \(loads[index].variant.name), \(pass.title): "
                            + "cache type \(result.cacheType) instead of \(pass.expected)"
                    )
                }
            case .failure(let error):
                let reason = ErrorReport.line(for: error)
                loads[index].passes.append(.failed(reason))
                surprises.append(
                    "\(loads[index].picture), \(loads[index].variant.name), \(pass.title): \(reason)"
                )
            }
        }
        return surprises
    }

    private func load(
        _ url: URL,
        _ variant: DemoVariant
    ) async -> Result<RetrieveImageResult, any Error> {
        let manager = manager
        // PNG keeps transparent corners on disk. Originals are cached, so that each image is
        // downloaded once, whatever the number of its variants.
        let options: KingfisherOptionsInfo = [
            .processor(variant.processor), .cacheSerializer(FormatIndicatedCacheSerializer.png),
            .cacheOriginalImage, .waitForCache,
        ]
        do {
            let result = try await withDeadline(seconds: timeout) {
                try await manager.retrieveImage(with: url, options: options)
            }
            return .success(result)
        } catch {
            return .failure(error)
        }
    }
}
