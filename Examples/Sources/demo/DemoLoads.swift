import Foundation
import Kingfisher

/// An image in one variant, loaded once per pass.
struct DemoLoad: Sendable {
    let url: URL
    /// In pixels, before processing; nil if the demonstration did not generate the image.
    let size: (width: Int, height: Int)?
    let variant: DemoVariant
    var picture: String { url.lastPathComponent }
    var image: KFCrossPlatformImage?
    var passes: [DemoPass.Outcome] = []
}

/// One pass over all images.
struct DemoPass: Sendable {
    /// The outcome of a load: its cache type and time, or the error.
    enum Outcome: Sendable {
        case loaded(from: CacheType, milliseconds: Double)
        case failed

        var text: String {
            switch self {
            case .loaded(.none, let time): String(format: "loaded  %8.2f ms", time)
            case .loaded(let cache, let time): String(format: "\(cache)  %8.2f ms", time)
            case .failed: "failed"
            }
        }
    }

    let title: String
    let expected: CacheType
}

/// The loads of the demonstration.
struct DemoLoads {
    let manager: KingfisherManager

    static let passes = [
        DemoPass(title: "first time", expected: .none),
        DemoPass(title: "again", expected: .memory),
        DemoPass(title: "memory emptied", expected: .disk),
    ]

    /// Loads all images once, one after the other, so that the times are comparable.
    ///
    /// - Returns: One sentence for each load that differs from the pass's expectation.
    func run(_ pass: DemoPass, over loads: inout [DemoLoad]) async -> [String] {
        var surprises: [String] = []
        for index in loads.indices {
            let load = loads[index]
            let title = "\(load.picture), \(load.variant.name), \(pass.title)"
            do {
                let result = try await image(load)
                loads[index].image = result.image
                let time = (result.timings.total ?? .zero) / .milliseconds(1)
                loads[index].passes.append(.loaded(from: result.cacheType, milliseconds: time))
                if result.cacheType != pass.expected {
                    let types = "\(result.cacheType) instead of \(pass.expected)"
                    surprises.append("\(title): cache type \(types)")
                }
            } catch {
                loads[index].passes.append(.failed)
                surprises.append("\(title): \(error.localizedDescription)")
            }
        }
        return surprises
    }

    private func image(_ load: DemoLoad) async throws -> RetrieveImageResult {
        // PNG keeps transparent corners on disk. Originals are cached, so that each image is
        // downloaded once, whatever the number of its variants.
        try await manager.retrieveImage(
            with: load.url,
            options: [
                .processor(load.variant.processor),
                .cacheSerializer(FormatIndicatedCacheSerializer.png), .cacheOriginalImage,
                .waitForCache,
            ]
        )
    }
}
