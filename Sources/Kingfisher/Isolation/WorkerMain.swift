internal import CIsolationShim
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The life of a worker process.
enum WorkerMain {
    /// Whether this process was started as a worker.
    static var isAsked: Bool {
        CommandLine.arguments.count == 2 && CommandLine.arguments[1] == WorkerProgram.argument
    }

    /// Serves requests until the program that started this process is gone.
    ///
    /// - Parameters:
    ///   - prepare: Runs before the walls are up: loads the files that codecs would load later.
    ///   - handle: Gives the answer to a request.
    static func serve(
        prepare: () -> Void,
        handle: (WorkerMessage) -> WorkerMessage
    ) -> Never {
        guard kf_worker_has_socket() != 0 else {
            let text = "\(WorkerProgram.argument) is for processes that Kingfisher starts itself\n"
            _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            _exit(EX_USAGE)
        }
        guard kf_worker_begin() == 0 else { _exit(EX_OSERR) }
        let socket = WorkerSocket(descriptor: Int32(KF_WORKER_SOCKET))
        guard let walls = walls(from: socket) else { _exit(EX_USAGE) }
        prepare()
        send(enter(walls), on: socket)
        while true {
            answerNext(on: socket, handle)
        }
    }

    /// The limits, which the program sends first.
    private static func walls(from socket: WorkerSocket) -> kf_walls? {
        next(on: socket).bytes.withUnsafeBytes { bytes in
            var reader = WireReader(bytes)
            // The program and its worker are one file, so anything else is no worker of ours.
            guard let memory = try? reader.int(in: 0...Int.max),
                let seconds = try? reader.int(in: 0...Int.max)
            else { return nil }
            return kf_walls(memory: UInt64(memory), cpu_seconds: UInt64(seconds))
        }
    }

    /// Drops the process's rights; the response contains the result.
    private static func enter(_ walls: kf_walls) -> WorkerMessage {
        let result = kf_worker_enter(walls)
        var ready = WireWriter()
        ready.write(result.failed_step == nil)
        if let step = result.failed_step {
            ready.write("\(String(cString: step)) failed, error \(result.error)")
        }
        return WorkerMessage(bytes: ready.bytes)
    }

    private static func answerNext(
        on socket: WorkerSocket,
        _ handle: (WorkerMessage) -> WorkerMessage
    ) {
        var request = next(on: socket)
        let number = request.bytes.prefix(MemoryLayout<Int64>.size)
        request.bytes.removeFirst(number.count)
        let answer = handle(request)
        send(WorkerMessage(bytes: number + answer.bytes, memory: answer.memory), on: socket)
    }

    private static func next(on socket: WorkerSocket) -> WorkerMessage {
        // A program that is gone, or that breaks the protocol, has no use for this process.
        guard case .message(let message)? = try? socket.receive() else { _exit(EXIT_SUCCESS) }
        return message
    }

    private static func send(_ message: WorkerMessage, on socket: WorkerSocket) {
        do throws(WorkerFailure) {
            guard try socket.send(message) else { _exit(EXIT_SUCCESS) }
        } catch {
            _exit(EX_OSERR)
        }
    }
}
