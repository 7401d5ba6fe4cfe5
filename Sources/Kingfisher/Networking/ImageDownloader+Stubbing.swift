extension ImageDownloader {
    /// The transport of every downloader in this process that was not made with one of its own;
    /// nil, as at first, for libcurl.
    ///
    /// Replaces the network of a whole program, the shared downloader included, which tests use to
    /// answer requests themselves:
    ///
    /// ```swift
    /// let network = FakeTransport()
    /// ImageDownloader.defaultTransport = network
    /// ```
    ///
    /// Takes effect with the next request; requests on their way stay where they are. `URLProtocol`
    /// classes in ``sessionConfiguration`` are asked before it. Any thread.
    public static var defaultTransport: (any HTTPTransport)? {
        get { RoutedTransport.processWide }
        set { RoutedTransport.processWide = newValue }
    }

    /// Sets ``defaultTransport`` while `body` runs, and then back to what it was.
    ///
    /// The transport is the whole process's, so tests that use this must not run side by side: make
    /// their suite `.serialized`.
    ///
    /// - Parameters:
    ///   - transport: The transport, or nil for libcurl.
    ///   - body: What runs with it.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public static func withDefaultTransport<Result>(
        _ transport: (any HTTPTransport)?,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let previous = defaultTransport
        defaultTransport = transport
        defer { defaultTransport = previous }
        return try await body()
    }
}
