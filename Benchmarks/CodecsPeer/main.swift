import Dispatch
import FoundationEssentials
import Glibc
import KFCodecs
import KFPixels
import Synchronization

// Decodes and encodes in a process without the rest of the library: without the downloader and its
// forty libraries, the caches and most of Foundation. A peer of `kf-bench`, with the protocol of
// `Benchmarks/Peers/peer.py`.
//
// The library's own process, `kf-bench --serve`, has all of these loaded before its first image.
// libvips also loads only code that decodes and encodes, so its memory is to be compared with that
// of this process.

/// An error message for standard error.
struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// The same thumbnail that `Thumbnail` of `kf-bench` makes through the public API.
func thumbnail(of data: Data) throws -> Int {
    let box = PixelSize(width: 400, height: 400)
    let image = try Codecs.decode(data, options: DecodeOptions(target: .fit(box)))
    return try Codecs.encode(image.bitmap, as: .jpeg, options: EncodeOptions(quality: 0.8)).count
}

func contents(of path: String) throws -> Data {
    guard let file = fopen(path, "rb") else { throw Failure(description: "\(path) is missing") }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let count = ftell(file)
    rewind(file)
    guard count > 0, let memory = malloc(count) else {
        throw Failure(description: "\(path) cannot be read")
    }
    let data = Data(bytesNoCopy: memory, count: count, deallocator: .free)
    guard fread(memory, 1, count, file) == count else {
        throw Failure(description: "\(path) cannot be read")
    }
    return data
}

func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The peak of resident memory in kilobytes; 0 without procfs.
func peak() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 256)
    while fgets(&buffer, 256, file) != nil {
        guard strncmp(buffer, "VmHWM:", 6) == 0 else { continue }
        return buffer.withUnsafeBufferPointer { text in
            text.baseAddress.map { atol($0 + 6) } ?? 0
        }
    }
    return 0
}

/// Executes an order and returns its measurements; see `Sample` of `kf-bench`.
func answer(_ path: String, repetitions: Int, threads: Int) throws -> String {
    let data = try contents(of: path)
    let size = Atomic(0)
    let before = peak()
    let (wall, cpu) = (seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID))
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
        for _ in 0..<repetitions {
            // 0 is not a valid size: kf-bench reports that nothing was made.
            size.store((try? thumbnail(of: data)) ?? 0, ordering: .relaxed)
        }
    }
    let share = 1000 / Double(repetitions * threads)
    let times = (
        wall: (seconds(CLOCK_MONOTONIC) - wall) * share,
        cpu: (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * share
    )
    return "\(times.wall) \(times.cpu) \(size.load(ordering: .relaxed)) \(peak()) \(before)"
}

while let order = readLine() {
    let fields = order.split(separator: " ", maxSplits: 3).map(String.init)
    guard fields.count == 4, let repetitions = Int(fields[1]), let threads = Int(fields[2]) else {
        throw Failure(description: "'\(order)' is not a command")
    }
    let isKnown = fields[0].hasPrefix("thumbnail-")
    let line =
        isKnown
        ? try answer(fields[3], repetitions: repetitions, threads: threads)
        : "skip: not done by this peer"
    print(line)
    fflush(nil)
}
