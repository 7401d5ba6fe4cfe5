import Foundation

/// Access to glibc's allocator through symbols of `malloc.h`, which Swift does not import.
enum Allocator {
    /// Makes all threads share the existing arenas, so that freed memory is used again.
    static func useOneArena() {
        typealias Function = @convention(c) (Int32, Int32) -> Int32
        guard let set = symbol("mallopt", as: Function.self) else {
            preconditionFailure("there is no mallopt")
        }
        // M_ARENA_MAX
        _ = set(-8, 1)
    }

    /// The number of bytes allocated and not freed, including the caches of threads.
    static var liveBytes: Int {
        typealias Function = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        var text: UnsafeMutablePointer<CChar>?
        var count = 0
        guard let write = symbol("malloc_info", as: Function.self),
            let stream = open_memstream(&text, &count)
        else { preconditionFailure("the allocator cannot be asked") }
        _ = write(0, stream)
        fclose(stream)
        defer { free(text) }
        // The totals of all arenas come last.
        let lines = text.map { String(cString: $0) }?.split(separator: "\n") ?? []
        func size(_ beginning: String) -> Int {
            let line = lines.last { $0.hasPrefix(beginning) }
            let value = line?.split(separator: "size=\"").last?.prefix { $0 != "\"" }
            return value.flatMap { Int($0) } ?? 0
        }
        return size("<system type=\"current\"") + size("<total type=\"mmap\"")
            - size("<total type=\"fast\"") - size("<total type=\"rest\"")
    }

    /// Makes libcurl find no memory for copies of texts that begin as `KF_REFUSED_COPY` says.
    ///
    /// It must be called before the first use of libcurl.
    static func refuseCopiesInLibcurl() {
        typealias Copy = @convention(c) (UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>?
        typealias Function =
            @convention(c) (
                Int,
                @convention(c) (Int) -> UnsafeMutableRawPointer?,
                @convention(c) (UnsafeMutableRawPointer?) -> Void,
                @convention(c) (UnsafeMutableRawPointer?, Int) -> UnsafeMutableRawPointer?,
                Copy,
                @convention(c) (Int, Int) -> UnsafeMutableRawPointer?
            ) -> Int32
        guard let start = symbol("curl_global_init_mem", as: Function.self) else {
            preconditionFailure("there is no libcurl")
        }
        let copy: Copy = { text in
            if let refused = getenv("KF_REFUSED_COPY"), strncmp(text, refused, strlen(refused)) == 0
            {
                return nil
            }
            return strdup(text)
        }
        // CURL_GLOBAL_ALL
        let code = start(
            3,
            { malloc($0) },
            { free($0) },
            { realloc($0, $1) },
            copy,
            { calloc($0, $1) }
        )
        precondition(code == 0)
    }

    private static func symbol<Function>(_ name: String, as type: Function.Type) -> Function? {
        // Searches in the order of the dynamic linker.
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}
