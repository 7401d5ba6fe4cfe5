// Loads an image twice and prints its origin: first-load URL
import Foundation
import Kingfisher

guard let url = CommandLine.arguments.dropFirst().first.flatMap(URL.init(string:)) else {
    print("usage: first-load URL")
    exit(64)
}
do {
    for _ in 0..<2 {
        let result = try await KingfisherManager.shared.retrieveImage(
            with: url,
            options: [.waitForCache]
        )
        print("\(result.image) from the cache: \(result.cacheType)")
    }
} catch {
    print(error.localizedDescription)
    exit(1)
}
