import Foundation
import Kingfisher
import Logging
import Synchronization
import Testing

@testable import KingfisherServer

struct TelemetryReceiverTests {
    @Test("The log says once that a server takes no data, and once that it does again")
    func transitions() async {
        let statuses = Mutex([200, 503, 429, 200, 200, 503])
        let transport = AnsweringTransport { _ in .status(statuses.withLock { $0.removeFirst() }) }
        let log = LogLines()
        let handler = ServiceLog(ServiceConfiguration(), output: LogOutput { log.add($0) })
        let logger = Logger(label: "test") { _ in handler }
        let receiver = TelemetryReceiver("the server", transport, logger)
        var isTaken: [Bool] = []
        for _ in 0..<6 {
            isTaken.append(await receiver.send(Data(), to: "http://telemetry.example/", []))
        }
        handler.flush()
        #expect(isTaken == [true, false, false, true, true, false])
        #expect(log.text.components(separatedBy: "the server takes no data").count == 3)
        #expect(log.text.components(separatedBy: "the server takes data again").count == 2)
    }
}
