extension ImageDownloader {
    /// The transport of all downloaders in this process that were made without a transport of their
    /// own; nil for libcurl.
    ///
    /// It replaces the network for a whole program, including the shared downloader. Tests use it
    /// to answer requests themselves:
    ///
    /// ```swift
    /// let network = FakeTransport()
    /// ImageDownloader.defaultTransport = network
    /// ```
    ///
    /// Takes effect with the next request; running requests continue with their transport.
    /// `URLProtocol` classes in ``sessionConfiguration`` take precedence. Can be used on any
    /// thread.
    public static var defaultTransport: (any HTTPTransport)? {
        get { RoutedTransport.processWide }
        set { RoutedTransport.processWide = newValue }
    }

    /// Sets ``defaultTransport`` while `body` runs, and restores it afterwards.
    ///
    /// The transport is shared by the whole process, so tests that use this must not run in
    /// parallel: mark their suite `.serialized`.
    ///
    /// - Parameters:
    ///   - transport: The transport, or nil for libcurl.
    ///   - body: The code to run with it.
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
