import Foundation
import KFCodecs
import KFPixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The worker's side: answers requests by decoding and processing, in one thread.
///
/// Runs behind walls, with a file that may take it over at any moment.
struct IsolatedWorker {
    /// Called with every file before it is decoded; tests plant their faults here.
    let hook: (@Sendable (Data) -> Void)?
    /// The animation that the last frame was of: the next one is decoded on its canvas.
    private var animation: (number: Int, source: EncodedFrameSource)?

    init(hook: (@Sendable (Data) -> Void)?) { self.hook = hook }

    /// The answer to a request.
    ///
    /// - Throws: ``WireError`` for a request that no program sends.
    mutating func answer(_ received: ReceivedRequest) throws(WireError) -> WorkerMessage {
        let file = received.file
        hook?(file)
        var reader = ProcessorReader(received.message, memory: received.memory)
        return switch try IsolatedRequest(from: &reader) {
        case .header: IsolatedAnswer.header(FileHeader(file, preloads: true)).message()
        case .reason: IsolatedAnswer.reason(UndecodableReason.find(in: file)).message()
        case .image(let processor, let options):
            image(of: file, by: processor, options, received.room)
        case .frame(let frame): self.frame(frame, of: file, received.room)
        case .plan(let plan): bitmap(of: file, in: plan, received.room)
        // An error is a header that cannot be read, which is nil in the answer.
        case .info: IsolatedAnswer.info(try? ImageFileInfo(data: file)).message()
        case .encoding(let encoding): Self.message(received.room, encoding.encoded)
        case .optimization(let keepsMetadata):
            Self.message(received.room) { () throws(CodecError) in
                let smaller = try Codecs.optimized(file, keepsMetadata: keepsMetadata)
                return smaller.count < file.count ? smaller : nil
            }
        }
    }

    /// The answer with a file, or with the reason why there is none.
    private static func message(
        _ room: ResultRoom,
        _ make: () throws(CodecError) -> Data?
    ) -> WorkerMessage {
        do throws(CodecError) {
            guard let file = try make() else { return IsolatedAnswer.nothing.message() }
            let body = file.withUnsafeBytes { bytes in
                Result { () throws(WorkerFailure) in try ImageParcel.Body([bytes], in: room) }
            }
            let shared = body.mapError { _ in CodecError.pixels(.outOfMemory(bytes: file.count)) }
            return IsolatedAnswer.file(try shared.get()).message()
        } catch {
            return IsolatedAnswer.reason("\(error)").message()
        }
    }

    private func image(
        of file: Data,
        by processor: any ImageProcessor,
        _ options: IsolatedOptions,
        _ room: ResultRoom
    ) -> WorkerMessage {
        do throws(KingfisherError) {
            let image = try ImageMaker.process(.data(file), options.parsed(with: processor))
            let rules = ParcelRules(processor, options)
            return Self.packed(rules.reduced(image), of: file, room)
        } catch {
            guard case .resultTooLarge(let size, _) = error.processingError else {
                return IsolatedAnswer.nothing.message()
            }
            let pixels = PixelSize(width: Self.side(size.width), height: Self.side(size.height))
            return IsolatedAnswer.tooLarge(pixels).message()
        }
    }

    private func bitmap(
        of file: Data,
        in plan: DecodePlan,
        _ room: ResultRoom
    ) -> WorkerMessage {
        // The parent asks for the reason if it needs one.
        guard let bitmap = try? plan.decode(file) else { return IsolatedAnswer.nothing.message() }
        return Self.packed(KFCrossPlatformImage(bitmap: bitmap, scale: 1), of: file, room)
    }

    private mutating func frame(
        _ frame: IsolatedRequest.FrameRequest,
        of file: Data,
        _ room: ResultRoom
    ) -> WorkerMessage {
        if animation?.number != frame.animation {
            // The next request's file takes the place of this one.
            let copy = file.withUnsafeBytes { Data($0) }
            // An error is a frame that cannot be decoded, which is nil by the protocol's contract.
            animation = (try? EncodedFrameSource(copy, scale: frame.scale)).map {
                (frame.animation, $0)
            }
        }
        guard let image = animation?.source.frame(at: frame.index, maxSize: frame.maxSize) else {
            return IsolatedAnswer.nothing.message()
        }
        return Self.packed(image, of: file, room)
    }

    private static func packed(
        _ image: KFCrossPlatformImage,
        of file: Data,
        _ room: ResultRoom
    ) -> WorkerMessage {
        do throws(WorkerFailure) {
            return IsolatedAnswer.image(try ImagePacker.pack(image, of: file, in: room)).message()
        } catch {
            // As any decoder that is short of memory.
            return IsolatedAnswer.nothing.message()
        }
    }

    private static func side(_ length: CGFloat) -> Int {
        Int(max(0, min(length, CGFloat(Int32.max))))
    }
}

extension WorkerPreparations {
    /// The formats whose libraries are loaded only for workers that need them: together they take
    /// 13 ms of CPU.
    private static let formats: [FileFormat] = [.jxl, .heif, .tiff, .svg]

    /// What decoding a file needs.
    init(decoding file: Data) { self.init(for: Codecs.format(of: file)) }

    /// What decoding or encoding a format needs.
    init(for format: FileFormat?) {
        let index = format.flatMap { Self.formats.firstIndex(of: $0) }
        self.init(rawValue: index.map { 1 << UInt8($0) } ?? 0)
    }

    /// The encoders that cannot be interrupted; their workers have limits of their own.
    static let encoding = WorkerPreparations(rawValue: 1 << 5)

    /// The library for PDF documents.
    ///
    /// Workers that prepare it read nothing else: a fault in it is never in a process that decodes
    /// images.
    static let pages = WorkerPreparations(rawValue: 1 << 6)

    /// The libraries for videos; as ``pages``.
    static let films = WorkerPreparations(rawValue: 1 << 7)

    /// The library for SVG.
    static let drawings = WorkerPreparations(for: .svg)

    /// The walls of a worker with this.
    ///
    /// The libraries of drawings and documents look for settings and languages that they can do without, and
    /// have no limit on memory of their own. The largest bitmap that is drawn takes 512 MiB twice.
    var walls: WorkerWalls {
        WorkerWalls(
            refusesFiles: !isDisjoint(with: [.pages, .films, .drawings]),
            privateMemory: isDisjoint(with: [.pages, .drawings]) ? nil : 1152 << 20,
            startThreads: contains(.drawings) ? Drawings.startThreads : nil
        )
    }

    fileprivate var formats: [FileFormat] {
        Self.formats.indices.filter { rawValue & (1 << UInt8($0)) != 0 }.map { Self.formats[$0] }
    }
}

/// Makes codecs and processors load and open their files before a worker may open none.
///
/// Found by running every fixture under strace: `IsolatedDecodingTests` and `Scripts/walls.sh` fail
/// when something is missing here.
enum Rehearsal {
    static func run(_ preparations: WorkerPreparations) {
        // The C library reads the size of memory when it first sorts, as libtiff and fontconfig do.
        var bytes = [UInt8](repeating: 0, count: 4096)
        qsort(&bytes, bytes.count, 1) { one, other in
            guard let one, let other else { return 0 }
            return memcmp(one, other, 1)
        }
        if preparations.contains(.pages) { return PDFFile.prepare() }
        if preparations.contains(.films) {
            VideoFile.prepare()
        } else {
            prepareImages(preparations)
        }
        // lcms2 asks for the date, for which the C library reads /etc/localtime once.
        var now = time(nil)
        _ = localtime(&now)
    }

    private static func prepareImages(_ preparations: WorkerPreparations) {
        AVIFLibrary.prepare()
        for format in preparations.formats {
            let isAvailable = OptionalFormat(format)?.isAvailable == true
            if format == .svg, isAvailable { Drawings.prepare() }
        }
        // libcrypto reads its configuration, for the name of a watermark.
        _ = SHA256.hash([UInt8]())
        guard let bitmap = try? picture() else { return }
        let formats: [FileFormat] =
            preparations.contains(.encoding)
            ? [.avif] + preparations.formats : [.jpeg, .png, .gif, .webp]
        for format in formats {
            // A format that cannot be written here does without.
            guard let file = try? Codecs.encode(bitmap, as: format) else { continue }
            decode(file)
        }
    }

    private static func picture() throws(PixelError) -> Bitmap {
        try Bitmap(
            size: PixelSize(width: 2, height: 2),
            isOpaque: true,
            filling: { pixels, _ in
                pixels.update(repeating: 255, count: 16)
            }
        )
    }

    private static func decode(_ file: Data) {
        let options = KingfisherParsedOptionsInfo(nil)
        let size = CGSize(width: 1, height: 1)
        _ = DownsamplingImageProcessor(size: size).process(item: .data(file), options: options)
        _ = DefaultImageProcessor.default.process(item: .data(file), options: options)
    }
}
