import Foundation
import KFCodecs
import KFPixels

/// An image on its way from a worker: pixels, and their description.
///
/// The body is `pixels of a bitmap │ … │ file of an animation │ description`.
struct ImageParcel: Sendable {
    /// Where the description lies in the body.
    var place: Place
    var body: Body

    enum Body: Sendable {
        /// In the worker, those in ``ExchangeMemory``; in the program, a copy.
        case bytes(SharedBytes)
        /// More bytes than fit there.
        case memory(SealedMemory)

        /// Passes the parts, each after the one before, in a worker.
        ///
        /// - Throws: ``WorkerFailure/noMemory(errno:)``.
        init(_ parts: [UnsafeRawBufferPointer], in room: ResultRoom) throws(WorkerFailure) {
            if let written = room.write(parts) {
                self = .bytes(written)
            } else {
                self = .memory(try SealedMemory(parts))
            }
        }

        /// - Throws: ``WireError`` for a message with none or several.
        init(_ message: WorkerMessage) throws(WireError) {
            switch (message.result, message.memory.first, message.memory.count) {
            case (let bytes?, nil, _): self = .bytes(bytes)
            case (nil, let memory?, 1): self = .memory(memory)
            default: throw WireError("a result has one body")
            }
        }

        /// Adds the body to a message.
        func add(to message: inout WorkerMessage) {
            switch self {
            case .bytes(let bytes): message.result = bytes
            case .memory(let memory): message.memory = [memory]
            }
        }

        /// The bytes.
        ///
        /// - Throws: ``WireError`` when the memory is not final, or larger than `maxBytes`.
        func bytes(maxBytes: Int) throws(WireError) -> SharedBytes {
            switch self {
            case .bytes(let bytes): bytes
            case .memory(let memory): try SealedMapping(memory, maxBytes: maxBytes).shared
            }
        }
    }

    /// A range of the body.
    struct Place: Sendable {
        var offset: Int
        var count: Int

        func write(to writer: inout WireWriter) {
            writer.write(offset)
            writer.write(count)
        }

        init(offset: Int, count: Int) {
            self.offset = offset
            self.count = count
        }

        init(from reader: inout WireReader) throws(WireError) {
            offset = try reader.int(in: 0...Int.max)
            count = try reader.int(in: 0...Int.max)
        }
    }

    /// The values in an animation's file, so that it need not be read again.
    struct Timing: Sendable {
        var delays: [TimeInterval]
        /// 0 repeats forever.
        var loopCount: Int
    }

    /// The file that an animation was made from.
    enum File: Int {
        case none, request, parcel
    }

    /// A cache line, and enough for any SIMD load.
    static let alignment = 64
    /// More are never preloaded nor played.
    static let maxFrames = DecodeLimits.default.maxFrameCount
}

extension ImageParcel {
    /// Reads a parcel; the ``ImageUnpacker`` checks its contents.
    ///
    /// - Throws: ``WireError``.
    init(from reader: inout WireReader, _ message: WorkerMessage) throws(WireError) {
        place = try Place(from: &reader)
        body = try Body(message)
    }
}
