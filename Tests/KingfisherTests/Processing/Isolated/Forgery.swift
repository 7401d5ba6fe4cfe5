import Foundation
import KFCodecs
import KFPixels
import TestSupport

@testable import Kingfisher

/// Answers of a worker that a file has taken over.
struct Forgery {
    var message: [UInt8]
    var result: Data

    /// The answer for an image with any attached state, which is packed without a check; one with
    /// the file of the request refers to it.
    init(_ image: KFCrossPlatformImage, of file: Data? = nil) throws {
        self.init(.image(try Self.parcel(image, of: file)))
    }

    /// An answer with its result, if it has one.
    init(_ answer: IsolatedAnswer) {
        let answer = answer.message()
        message = answer.bytes
        result = answer.result.map { Data($0.bytes) } ?? Data()
    }

    /// Bytes of a result.
    static func bytes(_ data: Data) throws -> SharedBytes {
        try SealedMapping(SealedMemory.holding(data), maxBytes: data.count).shared
    }

    /// A file that has its worker send the answer; it may begin with a good header.
    func file(after start: Data = Data()) -> Data {
        var file = start + Data(message) + result
        for count in [message.count, result.count] {
            withUnsafeBytes(of: Int64(count)) { file.append(contentsOf: $0) }
        }
        return file + Data("     fault forge".utf8)
    }

    static func parcel(_ image: KFCrossPlatformImage, of file: Data? = nil) throws -> ImageParcel {
        let storage = try PixelStorage(byteCount: 1 << 20)
        let bytes = UnsafeMutableRawBufferPointer(start: storage.base, count: storage.byteCount)
        return try ImagePacker.pack(image, of: file, in: ResultRoom(bytes: bytes, owner: storage))
    }

    /// An image of 13 × 7 pixels with the state of an animation of three frames.
    static func animation(
        _ data: Data,
        hasPixels: Bool = true,
        _ change: (inout AttachedState) -> Void = { _ in }
    ) -> KFCrossPlatformImage {
        var state = AttachedState()
        state.file = AnimationFile(data: data)
        state.frameCount = 3
        state.creatingOptions = ImageCreatingOptions()
        state.frameSource = Frames(delays: [0.1, 0.2, 0.3])
        change(&state)
        return KFCrossPlatformImage(
            bitmap: hasPixels ? TestImage.bitmap(width: 13, height: 7) : nil,
            attached: state
        )
    }

    /// Frames of which only the times are sent.
    struct Frames: ImageFrameSource {
        let delays: [TimeInterval]
        var data: Data? { nil }
        var frameCount: Int { delays.count }
        func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? { nil }
        func duration(at index: Int) -> TimeInterval { delays[index] }
    }
}
