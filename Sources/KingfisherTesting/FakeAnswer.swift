public import Foundation
public import Kingfisher

/// What a ``FakeTransport`` answers to a request.
public struct FakeAnswer: Sendable {
    private enum Kind: Sendable {
        case response(status: Int, type: String?, body: Data)
        case failure(TransferError)
    }

    private let kind: Kind

    /// A response with these bytes.
    ///
    /// - Parameters:
    ///   - body: The bytes; their number is announced.
    ///   - type: The content type; nil says nothing about it.
    ///   - status: The status code, 200…999.
    /// - Returns: The answer.
    public static func data(_ body: Data, type: String? = nil, status: Int = 200) -> FakeAnswer {
        FakeAnswer(kind: .response(status: status, type: type, body: body))
    }

    /// A picture as PNG, or as JPEG at full quality.
    public static func picture(
        _ picture: ScriptedPicture,
        as format: ScriptedPicture.Format = .png
    ) -> FakeAnswer {
        .data(picture.data(as: format), type: format.contentType)
    }

    /// A response without bytes, with this status code.
    public static func status(_ code: Int) -> FakeAnswer {
        .data(Data(), status: code)
    }

    /// No response: the transfer fails.
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
