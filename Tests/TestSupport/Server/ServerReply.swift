package import Foundation

/// A script for one response.
package struct ServerReply: Sendable {
    /// One action of the server.
    package enum Step: Sendable {
        /// Sends bytes as they are.
        case send(Data)
        /// Sends the same bytes until the client disconnects or the server stops.
        case repeatForever(Data)
        /// Sends bytes one by one at this interval.
        case drip(Data, every: Duration)
        /// Waits for a gate, or until the client disconnects, which ends the script.
        case wait(ServerGate)
        /// Closes with a RST.
        case reset
        /// Closes.
        case close
    }

    /// The actions in order.
    ///
    /// Afterwards, the connection serves its next request.
    package var steps: [Step]

    /// Creates a response from actions.
    package init(steps: [Step]) {
        self.steps = steps
    }

    /// Response headers with the empty line; no length is added.
    package static func head(_ status: Int, _ fields: [(String, String)] = []) -> Data {
        let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        return Data("HTTP/1.1 \(status) Scripted\r\n\(lines)\r\n".utf8)
    }

    /// A complete body with its length.
    package static func body(
        _ data: Data,
        status: Int = 200,
        type: String = "application/octet-stream",
        fields: [(String, String)] = []
    ) -> ServerReply {
        let own = [("Content-Type", type), ("Content-Length", "\(data.count)")]
        return ServerReply(steps: [.send(head(status, own + fields) + data)])
    }

    /// A text.
    package static func text(_ text: String, status: Int = 200) -> ServerReply {
        body(Data(text.utf8), status: status, type: "text/plain")
    }

    /// A status with an empty body.
    package static func status(_ status: Int, fields: [(String, String)] = []) -> ServerReply {
        ServerReply(steps: [.send(head(status, [("Content-Length", "0")] + fields))])
    }

    /// A redirect with an empty body.
    package static func redirect(to location: String, status: Int = 302) -> ServerReply {
        .status(status, fields: [("Location", location)])
    }

    /// A body in chunks, of unknown length.
    ///
    /// With a gate, each chunk except the first waits for it.
    package static func chunked(_ chunks: [Data], gate: ServerGate? = nil) -> ServerReply {
        var steps: [Step] = [.send(head(200, [("Transfer-Encoding", "chunked")]))]
        for (index, chunk) in chunks.enumerated() {
            if index > 0, let gate { steps.append(.wait(gate)) }
            let size = Data("\(String(chunk.count, radix: 16))\r\n".utf8)
            steps.append(.send(size + chunk + Data("\r\n".utf8)))
        }
        return ServerReply(steps: steps + [.send(Data("0\r\n\r\n".utf8))])
    }

    /// A body that waits at gates: each after the given number of bytes.
    package static func gated(
        _ data: Data,
        type: String = "application/octet-stream",
        at positions: [(Int, ServerGate)]
    ) -> ServerReply {
        let fields = [("Content-Type", type), ("Content-Length", "\(data.count)")]
        var steps: [Step] = [.send(head(200, fields))]
        var sent = 0
        for (position, gate) in positions {
            steps += [.send(data[sent..<position]), .wait(gate)]
            sent = position
        }
        return ServerReply(steps: steps + [.send(data[sent...])])
    }

    /// Sends nothing until the gate opens, then `reply`.
    package static func held(_ gate: ServerGate, then reply: ServerReply) -> ServerReply {
        ServerReply(steps: [.wait(gate)] + reply.steps)
    }

    /// A body that declares `declared` bytes, sends `data`, and closes.
    package static func truncated(_ data: Data, declared: Int) -> ServerReply {
        let fields = [("Content-Length", "\(declared)")]
        return ServerReply(steps: [.send(head(200, fields) + data), .close])
    }

    /// A part of a body, then a RST.
    package static func broken(_ data: Data, declared: Int) -> ServerReply {
        let fields = [("Content-Length", "\(declared)")]
        return ServerReply(steps: [.send(head(200, fields) + data), .reset])
    }

    /// An endless body without a length.
    package static func endless(_ piece: Data) -> ServerReply {
        ServerReply(steps: [.send(head(200)), .repeatForever(piece)])
    }

    /// A 401 that requests a name and a password, unless the request has the right ones.
    package static func protected(
        user: String,
        password: String,
        _ reply: ServerReply
    ) -> @Sendable (ServerRequest) -> ServerReply {
        { request in
            let token = Data("\(user):\(password)".utf8).base64EncodedString()
            if request.value(for: "Authorization") == "Basic \(token)" { return reply }
            return .status(401, fields: [("WWW-Authenticate", "Basic realm=\"test\"")])
        }
    }
}
