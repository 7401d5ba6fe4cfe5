import Foundation
import Kingfisher

/// Makes thumbnails of all arguments concurrently: thumbnails URL|FILE...
@main
struct Thumbnails {
    static func main() async {
        let names = CommandLine.arguments.dropFirst()
        guard !names.isEmpty else {
            print("usage: thumbnails URL|FILE...")
            exit(64)
        }
        let failures = await withTaskGroup(of: String?.self) { group in
            for (number, name) in names.enumerated() {
                group.addTask { await make("thumbnail-\(number + 1).png", of: name) }
            }
            var failures: [String] = []
            for await case let failure? in group { failures.append(failure) }
            return failures
        }
        for failure in failures { print(failure) }
        exit(failures.isEmpty ? 0 : 1)
    }

    /// Writes a thumbnail with rounded corners.
    ///
    /// Returns an error message, or nil.
    private static func make(_ file: String, of name: String) async -> String? {
        let url = URL(string: name).flatMap { $0.scheme == nil ? nil : $0 }
        let source = (url ?? URL(fileURLWithPath: name)).convertToSource()
        let processor =
            DownsamplingImageProcessor(size: CGSize(width: 200, height: 200))
            |> RoundCornerImageProcessor(radius: .widthFraction(0.1))
        do {
            let result = try await KingfisherManager.shared.retrieveImage(
                with: source,
                options: [
                    .processor(processor), .cacheSerializer(FormatIndicatedCacheSerializer.png),
                ]
            )
            try result.image.kf.pngRepresentation()?.write(to: URL(fileURLWithPath: file))
            print("\(file): \(name), cached: \(result.cacheType)")
            return nil
        } catch {
            return "\(name): \(error.localizedDescription)"
        }
    }
}
