import Foundation
import Synchronization

/// A video for workers.
enum FilmBytes: Sendable {
    case memory(Data)
    /// Not read here: a worker maps the parts that it needs.
    case file(OpenFilm)
    /// Downloaded in the parts that a worker needs.
    case remote(RemoteFilm)

    /// - Parameters:
    ///   - document: The video.
    ///   - context: Downloads it; nil if it cannot be downloaded.
    ///   - isKept: Whether its worker keeps it open for the next request.
    /// - Throws: ``LocalFileError`` or `CocoaError` if the file cannot be opened,
    ///   ``DocumentError`` if the URL is none that can be read here.
    init(
        _ document: DocumentBytes,
        _ context: ProviderContext? = nil,
        isKept: Bool = false
    ) async throws {
        if let data = document.data {
            self = .memory(data)
        } else if let url = document.url, RemoteFilm.canDownload(url) {
            guard let context else {
                throw DocumentError.unreadable("only a manager's load downloads a video")
            }
            self = .remote(RemoteFilm(url, context, isKept: isKept))
        } else {
            let path = try document.fileURL().path
            self = .file(
                try await ImageMaker.pool.reading { try OpenFilm(path: path, isKept: isKept) }
            )
        }
    }

    /// The answer of a worker; a fault is thrown.
    ///
    /// - Throws: ``DocumentError``; ``KingfisherError`` if a part cannot be downloaded;
    ///   `CancellationError`.
    func answer(
        to request: FilmRequest,
        by reading: DocumentReading
    ) async throws -> DocumentAnswer {
        switch self {
        case .memory(let data): try await reading.answer(to: request.message(for: data))
        case .file(let file): try await reading.answer(to: request.message(for: file))
        case .remote(let film): try await film.answer(to: request, by: reading)
        }
    }
}

/// A video of several providers, which is opened once.
final class SharedFilm: Sendable {
    private let opened = Mutex<FilmBytes?>(nil)

    /// The video, opened by the first call.
    ///
    /// - Throws: As `FilmBytes`; the next call tries again.
    func film(_ document: DocumentBytes, _ context: ProviderContext?) async throws -> FilmBytes {
        if let film = opened.withLock({ $0 }) {
            // Another downloader may have other rules.
            guard case .remote(let remote) = film, remote.downloader !== context?.downloader else {
                return film
            }
            return try await FilmBytes(document, context)
        }
        let made = try await FilmBytes(document, context, isKept: true)
        return opened.withLock { film in
            // Calls at the same time share the first one's.
            let kept = film ?? made
            film = kept
            return kept
        }
    }
}
