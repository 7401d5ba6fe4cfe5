internal import CKFIsolationShim
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How the walls of a worker differ by what it reads.
struct WorkerWalls {
    /// Whether calls that open files fail, rather than end the worker.
    var refusesFiles = false
    /// Bytes of memory that libraries may allocate; nil for no limit besides that of the program.
    var privateMemory: Int?
    /// Starts the threads that libraries need, behind all walls but the list of system calls.
    var startThreads: (@convention(c) () -> Void)?
}

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
    ///     Its argument is what the program asked for, and its result changes the walls.
    ///   - handle: Gives the answer to a request.
    static func serve(
        prepare: (WorkerPreparations) -> WorkerWalls,
        handle: (ReceivedRequest) throws(WireError) -> WorkerMessage
    ) -> Never {
        guard kf_worker_has_socket() != 0 else {
            let text = "\(WorkerProgram.argument) is for processes that Kingfisher starts itself\n"
            _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            _exit(EX_USAGE)
        }
        guard kf_worker_begin() == 0 else { _exit(EX_OSERR) }
        let socket = WorkerSocket(descriptor: Int32(KF_WORKER_SOCKET))
        let hello = next(on: socket)
        guard let (limits, preparations) = contents(of: hello),
            let exchange = hello.memory.first.flatMap(ExchangeView.init)
        else { _exit(EX_USAGE) }
        let own = prepare(preparations)
        var walls = limits
        walls.refuses_files = own.refusesFiles ? 1 : 0
        walls.private_memory = UInt64(own.privateMemory ?? 0)
        walls.start_threads = own.startThreads
        send(enter(walls), on: socket)
        while true {
            answerNext(on: socket, exchange, handle)
        }
    }

    /// The limits and the preparations, which the program sends first.
    private static func contents(
        of hello: WorkerMessage
    ) -> (walls: kf_walls, preparations: WorkerPreparations)? {
        hello.bytes.withUnsafeBytes { bytes in
            var reader = WireReader(bytes)
            // The program and its worker are one file, so anything else is no worker of ours.
            guard let memory = try? reader.int(in: 0...Int.max),
                let seconds = try? reader.int(in: 0...Int.max),
                let bits = try? reader.int(in: 0...255)
            else { return nil }
            var walls = kf_walls()
            (walls.memory, walls.cpu_seconds) = (UInt64(memory), UInt64(seconds))
            return (walls, WorkerPreparations(rawValue: UInt8(bits)))
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
        _ exchange: ExchangeView,
        _ handle: (ReceivedRequest) throws(WireError) -> WorkerMessage
    ) {
        let request = next(on: socket)
        let answer = request.bytes.withUnsafeBytes { bytes in
            Result { () throws(WireError) in
                var reader = WireReader(bytes)
                let number = try reader.int()
                let received = try received(request.memory, &reader, exchange)
                let answer = try handle(received)
                var writer = WireWriter()
                writer.write(number)
                writer.write(answer.result?.bytes.count) { $0.write($1) }
                writer.write(bytes: answer.bytes)
                return WorkerMessage(bytes: writer.bytes, memory: answer.memory)
            }
        }
        // Requests come from the same program, so one that cannot be read is its own fault.
        guard let answer = try? answer.get() else { _exit(EX_PROTOCOL) }
        send(answer, on: socket)
    }

    private static func received(
        _ memory: [SealedMemory],
        _ reader: inout WireReader,
        _ exchange: ExchangeView
    ) throws(WireError) -> ReceivedRequest {
        let count = try reader.optional { reader throws(WireError) in try reader.int() }
        let file =
            if let count { try exchange.file(byteCount: count) } else { try file(memory.first) }
        return ReceivedRequest(
            message: reader,
            file: file,
            memory: memory.dropFirst(count == nil ? 1 : 0),
            room: exchange.room
        )
    }

    /// The file of a request, borrowed from its memory.
    private static func file(_ memory: SealedMemory?) throws(WireError) -> Data {
        guard let memory else { throw WireError("there is no file") }
        let mapping = try SealedMapping(memory, maxBytes: .max)
        guard let base = mapping.bytes.baseAddress else { return Data() }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: base),
            count: mapping.bytes.count,
            deallocator: .custom { _, _ in withExtendedLifetime(mapping) {} }
        )
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
