public import Foundation
import Synchronization

extension KF {
    /// Starts a builder for a source; a load of nil fails with `emptySource`.
    public static func source(_ source: Source?) -> KF.Builder {
        Builder(source: source)
    }

    /// Starts a builder for a resource.
    public static func resource(_ resource: (any Resource)?) -> KF.Builder {
        source(resource?.convertToSource())
    }

    /// Starts a builder for a URL.
    ///
    /// - Parameters:
    ///   - url: The URL; a load of nil fails with `emptySource`.
    ///   - cacheKey: Defaults to the URL's own key.
    /// - Returns: The builder.
    public static func url(_ url: URL?, cacheKey: String? = nil) -> KF.Builder {
        source(url?.convertToSource(overrideCacheKey: cacheKey))
    }

    /// Starts a builder for a provider.
    public static func dataProvider(_ provider: (any ImageDataProvider)?) -> KF.Builder {
        source(provider?.convertToSource())
    }

    /// Starts a builder for bytes in memory.
    ///
    /// - Parameters:
    ///   - data: The encoded bytes; a load of nil fails with `emptySource`.
    ///   - cacheKey: The key under which the image is cached.
    /// - Returns: The builder.
    public static func data(_ data: Data?, cacheKey: String) -> KF.Builder {
        dataProvider(data.map { RawImageDataProvider(data: $0, cacheKey: cacheKey) })
    }
}

extension KF {
    // `@unchecked`: the class is public and not final; its state is guarded by a mutex.
    /// Collects options in chained methods, then loads the image into a view.
    ///
    /// ```swift
    /// KF.url(url)
    ///     .placeholder(image)
    ///     .resizing(referenceSize: CGSize(width: 100, height: 100))
    ///     .onSuccess { result in … }
    ///     .set(to: imageView)
    /// ```
    ///
    /// Starts with the current default options of the shared manager.
    public class Builder: @unchecked Sendable {
        /// `@unchecked`: the placeholder may be a view; it is only used on the main actor.
        private struct State: @unchecked Sendable {
            var options: KingfisherParsedOptionsInfo
            var placeholder: (any Placeholder)?
        }

        private let source: Source?
        private let state: Mutex<State>

        /// Called with the error of a failed load.
        public let onFailureDelegate = Delegate<KingfisherError, Void>()

        /// Called with the result of a load.
        public let onSuccessDelegate = Delegate<RetrieveImageResult, Void>()

        /// Called with received and expected bytes.
        public let onProgressDelegate = Delegate<(Int64, Int64), Void>()

        init(source: Source?) {
            self.source = source
            state = Mutex(State(options: KingfisherParsedOptionsInfo(forView: nil)))
        }

        /// The options so far.
        public var options: KingfisherParsedOptionsInfo {
            get { state.withLock { $0.options } }
            set { state.change { $0.options = newValue } }
        }

        private var progress: DownloadProgressBlock? {
            guard onProgressDelegate.isSet else { return nil }
            return { [onProgressDelegate] in onProgressDelegate.call(($0, $1)) }
        }

        private var completion: ImageCompletion {
            { [onSuccessDelegate, onFailureDelegate] result in
                switch result {
                case .success(let value): onSuccessDelegate.call(value)
                case .failure(let error): onFailureDelegate.call(error)
                }
            }
        }
    }
}

extension KF.Builder: KFOptionSetter {}

// MARK: Setting

@MainActor
extension KF.Builder {
    /// Loads the image into an image view, a button, or an object that accepts images.
    ///
    /// A placeholder that is not an image is shown only by ``KFCrossPlatformImageView``.
    ///
    /// - Returns: The task to cancel the load with; nil if a cache has the image.
    @discardableResult
    public func set(to target: some ImageDisplaying) -> DownloadTask? {
        load(target.imageLoads)
    }

    /// Loads the image as a button's alternate image; the placeholder must be an image.
    ///
    /// - Returns: The task to cancel the load with; nil if a cache has the image.
    @discardableResult
    public func setAlternative(to button: some AlternateImageDisplaying) -> DownloadTask? {
        load(button.alternateImageLoads)
    }

    private func load<Content>(_ loads: ImageLoads<Content>) -> DownloadTask? {
        let state = state.withLock { $0 }
        return loads.loader.load(
            source,
            placeholder: state.placeholder as? Content,
            options: state.options,
            by: .shared,
            progress: progress,
            completion: completion
        )
    }
}

// MARK: Options of views

extension KF.Builder {
    /// Sets the placeholder shown during the load.
    public func placeholder(_ placeholder: (any Placeholder)?) -> Self {
        let changed = State(options: options, placeholder: placeholder)
        state.change { $0 = changed }
        return self
    }

    /// Sets the image shown during the load.
    public func placeholder(_ image: KFCrossPlatformImage?) -> Self {
        placeholder(image as (any Placeholder)?)
    }

    /// Sets the transition of a newly loaded image.
    public func transition(_ transition: ImageTransition) -> Self {
        state.change { $0.options.transition = transition }
        return self
    }

    /// Fades a newly loaded image in, over `duration` seconds.
    public func fade(duration: TimeInterval) -> Self {
        transition(.fade(duration))
    }

    /// Sets whether the placeholder is omitted if the view already shows an image.
    public func keepCurrentImageWhileLoading(_ enabled: Bool = true) -> Self {
        state.withLock { $0.options.keepCurrentImageWhileLoading = enabled }
        return self
    }

    /// Sets whether only the first frame of an animation is kept.
    public func onlyLoadFirstFrame(_ enabled: Bool = true) -> Self {
        state.withLock { $0.options.onlyLoadFirstFrame = enabled }
        return self
    }

    /// Does nothing; exists for compatibility.
    @available(*, deprecated, message: "Images are loaded when they are set.")
    public func loadImmediately(_ start: Bool = true) -> Self { self }
}
