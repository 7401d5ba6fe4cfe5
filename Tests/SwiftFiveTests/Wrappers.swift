import Dispatch
import Foundation
import Kingfisher

/// The facade that many programs put around the library, with closures without isolation.
final class ImageService {
    typealias Completion = (Result<KFCrossPlatformImage, Error>) -> Void

    static let errorDomain = "ImageService"

    private let manager: KingfisherManager
    private var cancelled = 0

    init(manager: KingfisherManager) {
        self.manager = manager
    }

    @discardableResult
    func image(at url: URL, completion: @escaping Completion) -> DownloadTask? {
        manager.retrieveImage(with: url) { result in
            switch result {
            case .success(let value):
                DispatchQueue.main.async { completion(.success(value.image)) }
            case .failure(let error) where error.isTaskCancelled:
                self.cancelled += 1
                DispatchQueue.main.async { completion(.failure(error)) }
            case .failure(.responseError(reason: .invalidHTTPStatusCode(let response))):
                let code = response.statusCode
                DispatchQueue.main.async {
                    completion(.failure(NSError(domain: Self.errorDomain, code: code)))
                }
            case .failure(let error):
                DispatchQueue.main.async { completion(.failure(error)) }
            }
        }
    }

    func cached(_ url: URL, completion: @escaping (KFCrossPlatformImage?) -> Void) {
        manager.cache.retrieveImage(forKey: url.cacheKey) { result in
            DispatchQueue.main.async { completion((try? result.get())?.image) }
        }
    }

    func store(_ image: KFCrossPlatformImage, for url: URL, completion: @escaping () -> Void) {
        manager.cache.store(image, forKey: url.cacheKey) { _ in
            DispatchQueue.main.async(execute: completion)
        }
    }
}
