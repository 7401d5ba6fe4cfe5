import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a decoder that was taken over might do; a file asks for it by its text.
enum PlantedFault: String {
    case crash, trap, loop, memory, wildWrite, openFile, connect, fork, execute, kill, threads
    case hoards
    case garbage, silence, ahead, nothing, opens
    case negativeLength, longLength, hugeSides, scribble, forge

    /// The number of the present request, which its answer repeats.
    private static let request = Atomic(0)

    /// Counts a request.
    static func countRequest() { request.add(1, ordering: .relaxed) }

    /// The fault that a file asks for at its beginning, as in a comment of a drawing, or behind a good image at its
    /// end; nil for files that are none of ours.
    init?(in file: Data) {
        for part in [file.prefix(64), file.suffix(16)] {
            let words = String(decoding: part, as: UTF8.self).split(separator: " ")
            guard let place = words.firstIndex(of: "fault"), place + 1 < words.count else {
                continue
            }
            self.init(rawValue: String(words[place + 1]))
            return
        }
        return nil
    }

    /// Lets it happen.
    ///
    /// - Parameter file: Lies in the memory that the worker shares with the program.
    func happen(with file: Data) {
        switch self {
        case .crash: UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case .trap: fatalError("planted")
        case .loop: while time(nil) != 0 {}
        case .memory: takeMemory()
        case .wildWrite: writeWildly()
        // Ends the worker if it can have that much, of which nothing is used.
        case .hoards: if malloc(3 << 29) != nil { fatalError("there was memory") }
        case .openFile: _ = open("/etc/passwd", O_RDONLY)
        // Ends the worker if a file can be opened.
        case .opens: if open("/etc/passwd", O_RDONLY) >= 0 { fatalError("it was opened") }
        case .connect: _ = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        case .fork: runProgram(fork: true)
        case .execute: runProgram(fork: false)
        case .kill: _ = Glibc.kill(getppid(), SIGKILL)
        case .threads: Thread.detachNewThread {}
        case .garbage: sendGarbage()
        case .silence: _ = close(3)
        case .ahead: answerAhead()
        case .nothing: break
        case .negativeLength: claim(byteCount: -1)
        case .longLength: claim(byteCount: 1 << 40)
        case .hugeSides: answer(in: file, side: Int.max)
        case .scribble: scribble(in: file)
        case .forge: forge(in: file)
        }
    }

    private func takeMemory() {
        while let block = malloc(1 << 24) { memset(block, 1, 1 << 24) }
        fatalError("no memory is left")
    }

    private func writeWildly() {
        var address = UInt(bitPattern: malloc(16))
        while true {
            address &+= 1 << 12
            UnsafeMutablePointer<UInt8>(bitPattern: address)?.pointee = 1
        }
    }

    private func runProgram(fork: Bool) {
        if fork {
            var pid: pid_t = 0
            _ = posix_spawn(&pid, "/bin/true", nil, nil, [nil], [nil])
        } else {
            _ = execv("/bin/true", [nil])
        }
    }

    private func sendGarbage() { send((0..<100).map { UInt8($0) }) }

    /// Answers this request and the next ones, "no image", and reads nothing any more.
    private func answerAhead() {
        for number in 1...32 { send(bytes(of: number) + [0] + bytes(of: 1)) }
        while time(nil) != 0 {}
    }

    /// Answers the first request with a wrong length of the result in the shared memory.
    private func claim(byteCount: Int) {
        let place = bytes(of: 0) + bytes(of: 8)
        send(bytes(of: 1) + [1] + bytes(of: byteCount) + bytes(of: 0) + place)
    }

    /// Answers the first request with an image of 64 × 64 pixels that claims to have other sides.
    @discardableResult
    private func answer(in file: Data, side: Int) -> UnsafeMutableRawBufferPointer? {
        // Results begin after the bytes for files, at ExchangeMemory.maxFileBytes.
        guard let base = file.withUnsafeBytes({ $0.baseAddress }) else { return nil }
        let pixelBytes = 64 * 64 * 4
        var description = bytes(of: 1) + bytes(of: side) + bytes(of: side) + [1] + bytes(of: 0)
        description += [1] + bytes(of: 0)
        // The scale 1 and the duration 0.
        description += bytes(of: Int(1.0.bitPattern)) + bytes(of: 0)
        // Neither frames, a file, values of an animation, a profile nor an early end.
        description += [0] + bytes(of: 0) + [0, 0, 0, 0, 0]
        let result = UnsafeMutableRawPointer(mutating: base) + (2 << 20)
        memset(result, 1, pixelBytes)
        memcpy(result + pixelBytes, description, description.count)
        let place = bytes(of: pixelBytes) + bytes(of: description.count)
        let length = bytes(of: pixelBytes + description.count)
        send(bytes(of: 1) + [1] + length + bytes(of: 0) + place)
        return UnsafeMutableRawBufferPointer(start: result, count: pixelBytes)
    }

    /// Answers, and changes the pixels from then on.
    private func scribble(in file: Data) {
        guard let pixels = answer(in: file, side: 64) else { return }
        while true { for index in pixels.indices { pixels[index] &+= 1 } }
    }

    /// Sends the answer that is part of the file, and ends.
    ///
    /// The file ends with `message │ result │ lengths of both │ 16 bytes that name the fault`.
    private func forge(in file: Data) {
        let all = file.dropLast(16)
        let lengths = all.suffix(16).withUnsafeBytes { bytes in
            [0, 8].map { Int(bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self)) }
        }
        let result = Array(all.dropLast(16).suffix(lengths[1]))
        let message = Array(all.dropLast(16 + lengths[1]).suffix(lengths[0]))
        file.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            // The place for results; see ExchangeMemory.maxFileBytes.
            let place = UnsafeMutableRawPointer(mutating: base) + (2 << 20)
            result.withUnsafeBytes {
                place.copyMemory(from: $0.baseAddress ?? base, byteCount: result.count)
            }
        }
        let number = bytes(of: Self.request.load(ordering: .relaxed))
        send(number + (result.isEmpty ? [0] : [1] + bytes(of: result.count)) + message)
        _exit(0)
    }

    private func bytes(of number: Int) -> [UInt8] {
        withUnsafeBytes(of: Int64(number)) { Array($0) }
    }

    private func send(_ message: [UInt8]) {
        var bytes = message
        bytes.withUnsafeMutableBytes { bytes in
            var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            withUnsafeMutablePointer(to: &part) { part in
                var message = msghdr()
                message.msg_iov = part
                message.msg_iovlen = 1
                _ = sendmsg(3, &message, 0)
            }
        }
    }
}
