import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a decoder that was taken over might do; a file asks for it by its text.
enum PlantedFault: String {
    case crash, trap, loop, memory, wildWrite, openFile, connect, fork, execute, kill, threads
    case garbage, silence, ahead, nothing

    /// The fault that a file asks for at its beginning or, behind a good image, at its end; nil for
    /// files that are none of ours.
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

    func happen() {
        switch self {
        case .crash: UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case .trap: fatalError("planted")
        case .loop: while time(nil) != 0 {}
        case .memory: takeMemory()
        case .wildWrite: writeWildly()
        case .openFile: _ = open("/etc/passwd", O_RDONLY)
        case .connect: _ = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        case .fork: runProgram(fork: true)
        case .execute: runProgram(fork: false)
        case .kill: _ = Glibc.kill(getppid(), SIGKILL)
        case .threads: Thread.detachNewThread {}
        case .garbage: sendGarbage()
        case .silence: _ = close(3)
        case .ahead: answerAhead()
        case .nothing: break
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
        for number in 1...32 { send(bytes(of: number) + bytes(of: 1)) }
        while time(nil) != 0 {}
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
