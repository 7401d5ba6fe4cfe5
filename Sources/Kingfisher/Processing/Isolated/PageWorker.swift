import Foundation
import KFCodecs
import KFPixels

/// The worker's side of ``PageRequest``: reads documents behind walls.
enum PageWorker {
    /// The answer to a request.
    ///
    /// - Throws: ``WireError`` for a request that no program sends.
    static func answer(_ received: ReceivedRequest) throws(WireError) -> WorkerMessage {
        var reader = received.message
        let request = try PageRequest(from: &reader)
        do throws(DocumentFault) {
            return try answer(request, received).message()
        } catch {
            return DocumentAnswer.fault(error).message()
        }
    }

    private static func answer(
        _ request: PageRequest,
        _ received: ReceivedRequest
    ) throws(DocumentFault) -> DocumentAnswer {
        // `Data` does not pass typed errors on.
        let answer = received.file.withUnsafeBytes { bytes in
            Result { () throws(DocumentFault) in
                let file = try PDFFile(bytes, password: request.password)
                switch request.kind {
                case .facts:
                    let size = try file.size(ofPage: request.index)
                    return DocumentAnswer.page(
                        PageFacts(
                            pageCount: file.pageCount,
                            width: size.width,
                            height: size.height
                        )
                    )
                case .image(let scale, let isTransparent):
                    return try received.answer(
                        file.bitmap(ofPage: request.index, scale, isTransparent: isTransparent)
                    )
                }
            }
        }
        return try answer.get()
    }
}
