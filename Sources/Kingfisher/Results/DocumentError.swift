public import Foundation
import KFCodecs
import KFPixels

/// Why no image was made of a page of a document or of a frame of a video.
///
/// A load reports it in
/// ``KingfisherError/ImageSettingErrorReason/dataProviderError(provider:error:)``.
public enum DocumentError: Error, Hashable, Sendable {
    /// The library that reads such files is not installed.
    ///
    /// `package` is its package in Debian and Ubuntu.
    case missingLibrary(name: String, package: String)
    /// The document is encrypted, and the password is missing or wrong.
    case wrongPassword
    /// The document has no such page; `count` is the number of its pages.
    case noSuchPage(page: Int, count: Int)
    /// The file is of another kind, or damaged.
    case unreadable(String)
    /// The image would have more pixels than are ever decoded.
    case tooLarge(width: Int, height: Int)
    /// The image needs more memory than a worker process may use.
    case outOfMemory
    /// No animation can be made of the span of a video.
    case unusableClip(ClipFault)
    /// The worker process failed.
    case isolationFailed(IsolationFailure)

    /// Why no animation can be made of a span of a video.
    public enum ClipFault: Hashable, Sendable {
        /// It does not end after its start, starts before the video, or has no frames per second.
        case empty
        /// It ends after the video, which has a duration in seconds.
        case outside(duration: TimeInterval)
        /// It is longer than 10 seconds.
        case tooLong
        /// It has more than 300 frames.
        case tooManyFrames
        /// Its frames have more than 512 MiB of pixels together.
        case tooManyPixels
        /// It is to be in a format of stills.
        case stillFormat
    }
}

extension DocumentError.ClipFault {
    fileprivate var text: String {
        switch self {
        case .empty: "The clip has no frames. It has to end after its start."
        case .outside(let duration):
            "The clip ends after the video, which has "
                + "\(NumberText.number(CGFloat((duration * 1000).rounded() / 1000))) seconds."
        case .tooLong: "The clip is longer than 10 seconds. Ask for a shorter one."
        case .tooManyFrames:
            "The clip has more than 300 frames. Ask for fewer in a second, or a shorter one."
        case .tooManyPixels:
            "The frames of the clip have too many pixels together. Ask for smaller ones, or for fewer."
        case .stillFormat: "The clip has a format of stills. Ask for a WebP, an AVIF or a GIF."
        }
    }
}

extension DocumentError: LocalizedError {
    /// The failure, as a sentence, and what to do.
    public var errorDescription: String? {
        switch self {
        case .missingLibrary(let name, let package):
            "The library \(name) is not installed. Install the package \(package)."
        case .wrongPassword:
            "The document is encrypted, and the password is missing or wrong."
        case .noSuchPage(let page, let count):
            "The document has no page \(page). Its pages are 1 to \(count)."
        case .unreadable(let reason): "The file cannot be read: \(reason)."
        case .tooLarge(let width, let height):
            "An image of \(width) × \(height) pixels is too large. Ask for a smaller one."
        case .outOfMemory:
            "The image needs more memory than a worker process may use. Ask for a smaller one."
        case .unusableClip(let fault): fault.text
        case .isolationFailed(let failure): "The file was not read: \(failure)."
        }
    }
}

extension DocumentError {
    /// The error for a worker's fault; `page` was asked for, from 1.
    init(_ fault: DocumentFault, page: Int) {
        self =
            switch fault {
            case .missingLibrary(let name, let package):
                .missingLibrary(name: name, package: package)
            case .password: .wrongPassword
            case .noPage(let count): .noSuchPage(page: page, count: count)
            case .damaged(let reason): .unreadable(reason)
            case .tooLarge(let size): .tooLarge(width: size.width, height: size.height)
            case .outOfMemory: .outOfMemory
            case .missing: .unreadable("a part of it is not there")
            }
    }
}
