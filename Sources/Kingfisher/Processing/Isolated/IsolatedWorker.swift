import Codecs
import Foundation
import Pixels

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
    mutating func answer(_ message: WorkerMessage) -> WorkerMessage {
        do throws(WireError) {
            return try answerOrThrow(message)
        } catch {
            // Requests come from the same program, so one that cannot be read is its own fault.
            return IsolatedAnswer.reason("\(error)").message()
        }
    }

    private mutating func answerOrThrow(_ message: WorkerMessage) throws(WireError) -> WorkerMessage
    {
        let request = message.bytes.withUnsafeBytes { bytes in
            Result { () throws(WireError) in
                var wire = WireReader(bytes)
                let inline = try wire.optional { wire throws(WireError) in
                    try wire.data(maxBytes: WorkerMessage.maxInlineBytes)
                }
                let file = if let inline { inline } else { try Self.file(message.memory.first) }
                hook?(file)
                var reader = ProcessorReader(
                    wire,
                    memory: message.memory.dropFirst(inline == nil ? 1 : 0)
                )
                return (try IsolatedRequest(from: &reader), file)
            }
        }
        let (what, file) = try request.get()
        return answer(what, file)
    }

    private mutating func answer(_ request: IsolatedRequest, _ file: Data) -> WorkerMessage {
        switch request {
        case .header: IsolatedAnswer.header(FileHeader(file, preloads: true)).message()
        case .reason: IsolatedAnswer.reason(UndecodableReason.find(in: file)).message()
        case .image(let processor, let options): image(of: file, by: processor, options)
        case .frame(let frame): self.frame(frame, of: file)
        // An error is a header that cannot be read, which is nil in the answer.
        case .info: IsolatedAnswer.info(try? ImageFileInfo(data: file)).message()
        }
    }

    private func image(
        of file: Data,
        by processor: any ImageProcessor,
        _ options: IsolatedOptions
    ) -> WorkerMessage {
        do throws(KingfisherError) {
            let image = try ProcessingJobs.process(.data(file), options.parsed(with: processor))
            return Self.packed(image, of: file)
        } catch {
            guard case .processorError(reason: .resultTooLarge(_, let size, _)) = error else {
                return IsolatedAnswer.nothing.message()
            }
            let pixels = PixelSize(width: Self.side(size.width), height: Self.side(size.height))
            return IsolatedAnswer.tooLarge(pixels).message()
        }
    }

    private mutating func frame(
        _ frame: IsolatedRequest.FrameRequest,
        of file: Data
    ) -> WorkerMessage {
        if animation?.number != frame.animation {
            // An error is a frame that cannot be decoded, which is nil by the protocol's contract.
            animation = (try? EncodedFrameSource(file, scale: frame.scale)).map {
                (frame.animation, $0)
            }
        }
        guard let image = animation?.source.frame(at: frame.index, maxSize: frame.maxSize) else {
            return IsolatedAnswer.nothing.message()
        }
        return Self.packed(image, of: file)
    }

    private static func packed(_ image: KFCrossPlatformImage, of file: Data) -> WorkerMessage {
        do throws(WorkerFailure) {
            return IsolatedAnswer.image(try ImagePacker.pack(image, of: file)).message()
        } catch {
            // As any decoder that is short of memory.
            return IsolatedAnswer.nothing.message()
        }
    }

    /// The file of a request, borrowed from its memory.
    private static func file(_ memory: SealedMemory?) throws(WireError) -> Data {
        guard let memory else { throw WireError("there is no file") }
        guard memory.size > 0 else { return Data() }
        let mapping = try SealedMapping(memory, maxBytes: .max)
        guard let base = mapping.bytes.baseAddress else { return Data() }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: base),
            count: mapping.bytes.count,
            deallocator: .custom { _, _ in withExtendedLifetime(mapping) {} }
        )
    }

    private static func side(_ length: CGFloat) -> Int {
        Int(max(0, min(length, CGFloat(Int32.max))))
    }
}
