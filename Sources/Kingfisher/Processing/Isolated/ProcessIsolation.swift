public import Foundation
import KFCodecs
import KFPixels
import Synchronization

/// Decoding in processes of their own, so that a fault in a decoder costs one image and not the
/// program.
///
/// Files are decoded by C libraries, and a file of a stranger's may be made to exploit a fault of
/// one. With ``KingfisherOptionsInfoItem/isolated`` they are decoded in worker processes that can
/// open no file, reach no network, start no program and see nothing of this process but the file.
///
/// The program starts itself for that, so its `main` has to begin with one line:
///
/// ```swift
/// ProcessIsolation.runWorkerIfAsked()
/// KingfisherManager.shared.defaultOptions += [.isolated]
/// ```
///
/// Built-in processors run in the worker as well, up to the first one of your own in a chain; that
/// one and those after it, and your cache serializers, run in this process. Images that are decoded
/// already are processed in this process, too. A file that ends its worker is given to a second
/// one; then the load fails with
/// ``ProcessingError/isolationFailed(_:)``, and for ten
/// minutes the file is refused at once.
///
/// A worker starts when an image needs one, which then takes 20 to 50 ms longer, and ends when it has
/// had nothing to do for a minute. There are at most ``Settings/workerCount``. Each takes some 10 MB
/// of memory of its own and up to 6 MB of shared memory, and for each image the file and the pixels
/// are copied. Progressive JPEGs are shown when they are complete. Needs Linux 5.4 on x86-64 or arm64.
public enum ProcessIsolation {
    /// Bounds on the workers.
    public struct Settings: Sendable, Hashable {
        /// How many workers there are at the most, at least 1; as many as cores unless set.
        ///
        /// Each decodes one file at a time.
        public var workerCount: Int
        /// How many requests a worker answers before a fresh one takes its place, at least 1.
        ///
        /// With 1 no file meets a worker that another file may have taken over, at some 50 ms each.
        public var requestsPerWorker: Int
        /// How long decoding and processing one file may take; 30 s unless set.
        public var timeLimit: Duration
        /// Bytes that a worker may allocate, 2 GiB unless set.
        ///
        /// The largest file that is decoded at all may need half of that.
        public var memoryLimit: Int

        /// Makes settings.
        ///
        /// - Parameters:
        ///   - workerCount: The number of workers, at least 1.
        ///   - requestsPerWorker: The number of requests after which a worker is replaced, at
        ///     least 1.
        ///   - timeLimit: The time for decoding and processing one file.
        ///   - memoryLimit: The bytes that a worker may allocate.
        public init(
            workerCount: Int = ProcessInfo.processInfo.activeProcessorCount,
            requestsPerWorker: Int = 1000,
            timeLimit: Duration = .seconds(30),
            memoryLimit: Int = 2 << 30
        ) {
            self.workerCount = workerCount
            self.requestsPerWorker = requestsPerWorker
            self.timeLimit = timeLimit
            self.memoryLimit = memoryLimit
        }

        fileprivate func pool(preparing preparations: WorkerPreparations) -> WorkerPool.Settings {
            var settings = WorkerPool.Settings()
            settings.width = min(1024, max(1, workerCount))
            settings.requestsPerWorker = max(1, requestsPerWorker)
            settings.limits = WorkerLimits(memory: max(0, memoryLimit), time: max(.zero, timeLimit))
            settings.preparations = preparations
            if preparations.contains(.encoding) {
                // Pixels of a size that the program has checked need the memory that they need; the
                // caller's time ends an encoding.
                settings.limits = WorkerLimits(memory: .max, time: .seconds(3600))
            }
            return settings
        }
    }

    private struct State {
        var settings = Settings()
        /// Whether a copy of this program would become a worker, rather than run once more.
        var program: WorkerProgram?
        /// By what their workers prepare ahead of the first request.
        var pools: [WorkerPreparations: WorkerPool] = [:]
    }

    private static let state = Mutex(State())

    /// Turns this process into a worker if the library has started it as one, and then never
    /// returns; otherwise only notes that the program can start workers.
    ///
    /// Call it before anything else in `main`: whatever runs earlier, runs in every worker.
    public static func runWorkerIfAsked() {
        runWorkerIfAsked(hook: nil)
    }

    /// The same, for tests: the hook is called with every file before it is decoded.
    package static func runWorkerIfAsked(hook: (@Sendable (Data) -> Void)?) {
        if WorkerMain.isAsked { serve(hook) }
        state.withLock { $0.program = $0.program ?? .own }
        Drawings.use(DrawingWorkers())
    }

    /// Bounds on the workers; changes have no effect after ``requireWorkers()`` or the first image
    /// that needs a worker.
    public static var settings: Settings {
        get { state.withLock { $0.settings } }
        set { state.withLock { $0.settings = newValue } }
    }

    /// Checks that this program can start workers; for the start of a service.
    ///
    /// Starts none: the first image does. After this call a file without an image is examined for the
    /// reason by a worker, never in this process.
    ///
    /// - Throws: ``IsolationFailure/unavailable(_:)`` when `main` does not begin with
    ///   ``runWorkerIfAsked()``.
    public static func requireWorkers() throws(IsolationFailure) {
        _ = try pool()
    }

    /// The former name of ``requireWorkers()``, from when it also started one.
    @available(*, deprecated, renamed: "requireWorkers()")
    public static func startWorkers() throws(IsolationFailure) { try requireWorkers() }

    // MARK: Inside

    /// Names another program whose `main` has the line; for tests, whose own `main` is not ours.
    package static func useProgram(at path: String) {
        state.withLock { $0.program = WorkerProgram(path: path) }
        Drawings.use(DrawingWorkers())
    }

    /// The pool whose workers prepare this, made when it is first needed.
    static func pool(
        preparing preparations: WorkerPreparations = []
    ) throws(IsolationFailure) -> WorkerPool {
        let pool = state.withLock { state -> WorkerPool? in
            guard let program = state.program else { return nil }
            if let pool = state.pools[preparations] { return pool }
            let settings = state.settings.pool(preparing: preparations)
            let pool = WorkerPool(program: program, settings: settings)
            state.pools[preparations] = pool
            return pool
        }
        guard let pool else {
            throw .unavailable("main does not begin with ProcessIsolation.runWorkerIfAsked()")
        }
        return pool
    }

    /// The pool that decodes a file.
    ///
    /// Drawings have one of their own, whose workers read nothing else.
    static func pool(for file: Data) throws(IsolationFailure) -> WorkerPool {
        try pool(preparing: file.isDrawing ? .drawings : [])
    }

    /// The pool for images; nil until the program requires workers or decodes an image in one.
    static var startedPool: WorkerPool? { state.withLock { $0.pools[[]] } }

    private static func serve(_ hook: (@Sendable (Data) -> Void)?) -> Never {
        var worker = IsolatedWorker(hook: hook)
        var films = FilmWorker()
        var reads = WorkerPreparations()
        WorkerMain.serve { preparations in
            reads = preparations
            RowBands.useOneThread()
            Rehearsal.run(preparations)
            PixelStorage.use(HeapMemorySource())
            return preparations.walls
        } handle: { request throws(WireError) in
            let isFilm = reads.contains(.films)
            guard isFilm || reads.contains(.pages) else { return try worker.answer(request) }
            hook?(request.file)
            return try isFilm ? films.answer(request) : PageWorker.answer(request)
        }
    }
}
