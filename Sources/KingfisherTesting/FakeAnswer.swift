public import Foundation
public import Kingfisher

/// A response or error for a ``FakeTransport`` to return.
public struct FakeAnswer: Sendable {
    private enum Kind: Sendable {
        case response(status: Int, type: String?, body: Data)
        case failure(TransferError)
    }

    private let kind: Kind

    /// A response with a body.
    ///
    /// - Parameters:
    ///   - body: The bytes; their length is stated.
    ///   - type: The content type; nil for none.
    ///   - status: The status code, 200…999.
    /// - Returns: The answer.
    public static func data(_ body: Data, type: String? = nil, status: Int = 200) -> FakeAnswer {
        FakeAnswer(kind: .response(status: status, type: type, body: body))
    }

    /// A response with an image.
    ///
    /// - Parameters:
    ///   - picture: The image.
    ///   - format: PNG, or JPEG at full quality.
    /// - Returns: The answer.
    public static func picture(
        _ picture: ScriptedPicture,
        as format: ScriptedPicture.Format = .png
    ) -> FakeAnswer {
        .data(picture.data(as: format), type: format.contentType)
    }

    /// A response with a status code and an empty body.
    public static func status(_ code: Int) -> FakeAnswer {
        .data(Data(), status: code)
    }

    /// A failure of the transfer instead of a response.
    public static func failure(_ error: TransferError) -> FakeAnswer {
        FakeAnswer(kind: .failure(error))
    }

    func play(on transfer: FakeTransfer) {
        switch kind {
        case .failure(let error):
            transfer.finish(error)
        case .response(let status, let type, let body):
            transfer.respond(status, length: body.count, type: type) { disposition in
                switch disposition {
                case .allow:
                    if !body.isEmpty { transfer.send(body) }
                    transfer.finish()
                case .cancel:
                    transfer.finish(.cancelled)
                case .reject(let reason):
                    transfer.finish(refusedFor: reason)
                }
            }
        }
    }
}
