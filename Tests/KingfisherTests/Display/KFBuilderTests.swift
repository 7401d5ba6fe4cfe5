import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct KFBuilderTests {
    let bench: TestBench

    init() throws {
        bench = try TestBench()
    }

    private func builder(_ source: Source?) -> KF.Builder {
        KF.source(source).targetCache(bench.cache).downloader(bench.downloader)
    }

    @Test func `BLD-1: methods change the builder in place`() {
        let builder = KF.url(nil)
        #expect(builder.forceRefresh() === builder)
        #expect(builder.options.forceRefresh)
        #expect(!builder.forceRefresh(false).options.forceRefresh)
        #expect(builder.acceptsTruncatedFiles().options.acceptsTruncatedFiles)
    }

    @Test func `BLD-1: a value type changes a copy`() {
        @MainActor
        struct Chain: KFOptionSetter {
            final class Box { var options = KingfisherParsedOptionsInfo(nil) }
            var box = Box()
            var options: KingfisherParsedOptionsInfo {
                get { box.options }
                nonmutating set { box.options = newValue }
            }
            let onFailureDelegate = Delegate<KingfisherError, Void>()
            let onSuccessDelegate = Delegate<RetrieveImageResult, Void>()
            let onProgressDelegate = Delegate<(Int64, Int64), Void>()
            func copyForMutation() -> Chain {
                var copy = self
                copy.box = Box()
                copy.box.options = options
                return copy
            }
        }
        let chain = Chain()
        #expect(chain.waitForCache().options.waitForCache)
        #expect(!chain.options.waitForCache)
    }

    @Test func `BLD-2: the last closures count, and all of them are called`() async throws {
        let url = bench.serveJPEG("/a.jpg", width: 600)
        let calls = Locked<[String]>([])
        let view = KFCrossPlatformImageView()
        await withCheckedContinuation { continuation in
            builder(.network(url))
                .onProgress { _, _ in Issue.record("an earlier closure was called") }
                .onProgress { received, total in
                    if received == total { calls.change { $0.append("progress") } }
                }
                .onSuccess { _ in Issue.record("an earlier closure was called") }
                .onSuccess { result in
                    calls.change { $0.append("success \(result.image.pixelWidth)") }
                    continuation.resume()
                }
                .onFailure { Issue.record("it failed: \($0)") }
                .set(to: view)
        }
        #expect(calls.value.last == "success 600")
        #expect(calls.value.contains("progress"))
        #expect(view.image?.pixelWidth == 600)
    }

    @Test func `BLD-2: no progress closure, no progress`() {
        let builder = KF.url(nil)
        #expect(!builder.onProgressDelegate.isSet)
        _ = builder.onProgress { _, _ in }.onProgress(nil)
        #expect(!builder.onProgressDelegate.isSet)
    }

    @Test func `BLD-3: nothing to load gives emptySource and the placeholder`() {
        let builders = [
            KF.url(nil), KF.data(nil, cacheKey: "a"), KF.resource(nil), KF.dataProvider(nil),
            KF.source(nil),
        ]
        for builder in builders {
            let placeholder = KFCrossPlatformImage()
            let view = KFCrossPlatformImageView()
            let codes = Locked<[Int]>([])
            builder.placeholder(placeholder)
                .onFailure { error in codes.change { $0.append(error.errorCode) } }
                .set(to: view)
            #expect(codes.value == [5001])
            #expect(view.image === placeholder)
        }
    }

    @Test func `it sets to any target, and to a button's alternate image`() async throws {
        let avatar = Avatar()
        let button = KFCrossPlatformButton()
        let data = TestImage.png(width: 20, height: 10)
        func load(_ set: (KF.Builder) -> DownloadTask?) async {
            await withCheckedContinuation { continuation in
                let builder = KF.data(data, cacheKey: "a")
                    .targetCache(bench.cache)
                    .onSuccess { _ in continuation.resume() }
                _ = set(builder)
            }
        }
        await load { $0.set(to: avatar) }
        #expect(avatar.image?.pixelWidth == 20)
        await load { $0.set(to: button) }
        await load { $0.setAlternative(to: button) }
        #expect(button.image === avatar.image)
        #expect(button.alternateImage === avatar.image)
    }

    @Test func `a URL can have another key`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        await withCheckedContinuation { continuation in
            KF.url(url, cacheKey: "other")
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .onSuccess { _ in continuation.resume() }
                .set(to: Avatar())
        }
        #expect(bench.cache.isCached(forKey: "other"))
        #expect(!bench.cache.isCached(forKey: url.cacheKey))
    }

    // MARK: Options

    @Test func `every flag lands in its option, and can be switched off`() {
        let flags:
            [(WritableKeyPath<KingfisherParsedOptionsInfo, Bool>, (KF.Builder, Bool) -> KF.Builder)] =
                [
                    (\.forceRefresh, { $0.forceRefresh($1) }),
                    (\.fromMemoryCacheOrRefresh, { $0.fromMemoryCacheOrRefresh($1) }),
                    (\.cacheMemoryOnly, { $0.cacheMemoryOnly($1) }),
                    (\.waitForCache, { $0.waitForCache($1) }),
                    (\.onlyFromCache, { $0.onlyFromCache($1) }),
                    (\.backgroundDecode, { $0.backgroundDecode($1) }),
                    (\.cacheOriginalImage, { $0.cacheOriginalImage($1) }),
                    (\.httpCaching, { $0.httpCaching($1) }),
                    (\.loadDiskFileSynchronously, { $0.loadDiskFileSynchronously($1) }),
                    (\.forceTransition, { $0.forceTransition($1) }),
                    (\.keepCurrentImageWhileLoading, { $0.keepCurrentImageWhileLoading($1) }),
                    (\.cancelWhenSuperseded, { $0.cancelWhenSuperseded($1) }),
                    (\.onlyLoadFirstFrame, { $0.onlyLoadFirstFrame($1) }),
                ]
        for (flag, set) in flags {
            let builder = KF.url(nil)
            #expect(set(builder, true).options[keyPath: flag])
            #expect(!set(builder, false).options[keyPath: flag])
            #expect(flags.allSatisfy { !builder.options[keyPath: $0.0] })
        }
    }

    @Test func `values land in their options`() {
        let cache = bench.cache
        let image = KFCrossPlatformImage()
        let source = Source.network(bench.server.url("/a"))
        let options = KF.url(nil)
            .originalCache(cache)
            .downloadPriority(0.9)
            .scaleFactor(2)
            .diskStoreWriteOptions(.atomic)
            .alternativeSources([source])
            .lowDataModeSource(source)
            .retry(maxCount: 4)
            .onFailureImage(image)
            .memoryCacheExpiration(.never)
            .memoryCacheAccessExtending(.none)
            .diskCacheExpiration(.expired)
            .diskCacheAccessExtending(.none)
            .callbackQueue(.untouch)
            .processingQueue(.mainAsync)
            .fade(duration: 3)
            .progressiveJPEG()
            .options
        #expect(options.originalCache === cache)
        #expect(options.downloadPriority == 0.9)
        #expect(options.scaleFactor == 2)
        #expect(options.diskStoreWriteOptions == .atomic)
        #expect(options.alternativeSources == [source])
        #expect(options.lowDataModeSource == source)
        #expect((options.retryStrategy as? DelayRetryStrategy)?.maxRetryCount == 4)
        #expect(options.onFailureImage == .some(image))
        #expect(options.memoryCacheExpiration != nil)
        #expect(options.diskCacheExpiration != nil)
        guard case .none = options.memoryCacheAccessExtendingExpiration,
            case .none = options.diskCacheAccessExtendingExpiration,
            case .untouch = options.callbackQueue,
            case .mainAsync? = options.processingQueue,
            case .fade(3) = options.transition
        else {
            Issue.record("an option is missing: \(options)")
            return
        }
        #expect(options.progressiveJPEG?.isBlur == true)
    }

    @Test func `OPT-5: no failure image is another thing than none at all`() {
        #expect(KF.url(nil).options.onFailureImage == nil)
        #expect(KF.url(nil).onFailureImage(nil).options.onFailureImage == .some(nil))
    }

    // MARK: Processors

    @Test func `BLD-4: processors are chained in order, none is the default one`() {
        let first = BlackWhiteProcessor()
        let second = BlurImageProcessor(blurRadius: 3)
        let builder = KF.url(nil).setProcessors([first, second])
        #expect(
            builder.options.processor.identifier == "\(first.identifier)|>\(second.identifier)"
        )
        #expect(builder.setProcessors([]).options.processor.identifier.isEmpty)
        #expect(builder.setProcessor(first).options.processor.identifier == first.identifier)
        #expect(
            KF.url(nil).appendProcessor(first).options.processor.identifier
                == "|>\(first.identifier)"
        )
    }

    @Test func `BLD-5: downsampling takes the default processor's place alone`() {
        let size = CGSize(width: 10, height: 10)
        let identifier = DownsamplingImageProcessor(size: size).identifier
        #expect(KF.url(nil).downsampling(size: size).options.processor.identifier == identifier)
        #expect(
            KF.url(nil).blackWhite().downsampling(size: size).options.processor.identifier
                == "|>\(BlackWhiteProcessor().identifier)|>\(identifier)"
        )
    }

    @Test func `each shorthand appends its processor`() {
        let size = CGSize(width: 4, height: 6)
        let anchor = CGPoint(x: 0, y: 1)
        let chains: [(KF.Builder, any ImageProcessor)] = [
            (
                KF.url(nil).roundCorner(radius: .point(5), backgroundColor: .red),
                RoundCornerImageProcessor(radius: .point(5), backgroundColor: .red)
            ),
            (KF.url(nil).blur(radius: 4), BlurImageProcessor(blurRadius: 4)),
            (
                KF.url(nil).overlay(color: .red),
                OverlayImageProcessor(overlay: .red, fraction: 0.5)
            ),
            (KF.url(nil).tint(color: .blue), TintImageProcessor(tint: .blue)),
            (KF.url(nil).blackWhite(), BlackWhiteProcessor()),
            (
                KF.url(nil).cropping(size: size, anchor: anchor),
                CroppingImageProcessor(size: size, anchor: anchor)
            ),
            (
                KF.url(nil).resizing(referenceSize: size, mode: .aspectFit),
                ResizingImageProcessor(referenceSize: size, mode: .aspectFit)
            ),
        ]
        for (builder, processor) in chains {
            #expect(builder.options.processor.identifier == "|>\(processor.identifier)")
        }
    }

    @Test func `BLD-6: an unknown format is stored as PNG`() throws {
        let image = try #require(KFCrossPlatformImage(data: TestImage.png()))
        for (format, expected) in [(.unknown, .PNG), (.JPEG, .JPEG), (.PNG, .PNG)]
            as [(ImageFormat, ImageFormat)]
        {
            let serializer = KF.url(nil).serialize(as: format).options.cacheSerializer
            #expect(serializer.data(with: image, original: nil)?.kf.imageFormat == expected)
        }
        let small = KF.url(nil).serialize(as: .JPEG, jpegCompressionQuality: 0.1)
        let large = KF.url(nil).serialize(as: .JPEG)
        let sizes = [small, large].map {
            $0.options.cacheSerializer.data(with: image, original: nil)?.count ?? 0
        }
        #expect(sizes[0] < sizes[1])
    }

    // MARK: Closures

    @Test func `closures change requests, redirects and images`() async throws {
        let target = bench.serveJPEG("/target.jpg")
        bench.server.route("/moved", .redirect(to: "/elsewhere"))
        let avatar = Avatar()
        let bench = bench
        await withCheckedContinuation { continuation in
            builder(.network(bench.server.url("/moved")))
                .requestModifier { $0.setValue("yes", forHTTPHeaderField: "X-Test") }
                .redirectHandler { payload in
                    var request = payload.newRequest
                    request.url = target
                    payload.completionHandler(request)
                }
                .imageModifier { $0 = $0.kf.scaled(to: 2) }
                .onSuccess { _ in continuation.resume() }
                .onFailure {
                    Issue.record("it failed: \($0)")
                    continuation.resume()
                }
                .set(to: avatar)
        }
        #expect(bench.server.requests.map(\.path) == ["/moved", "/target.jpg"])
        #expect(bench.server.requests.first?.value(for: "X-Test") == "yes")
        #expect(avatar.image?.scale == 2)
    }
}
