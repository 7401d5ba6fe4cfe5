import Foundation
import Synchronization
import SystemPackage

@testable import Kingfisher

/// The real file system with faults, and with a death of the process at a chosen step.
final class FaultyFileSystem: FileSystem {
    enum Operation: Sendable {
        case makeDirectory
        case list
        case status
        case read
        case write
        /// Comes before the write that does not wait for the medium.
        case unsyncedWrite
        /// Comes before the write of an unnamed file.
        case unnamedWrite
        /// Comes before the rename that gives an unnamed file a name.
        case link
        case rename
        /// Comes before the rename that exchanges.
        case exchange
        case remove
        case open
        case append
        case truncate
        case sync
        case lock
    }

    /// How much of its last step a dying process does.
    enum Death: CaseIterable, Sendable {
        case before
        case halfway
        case after
    }

    private struct State {
        var fault: (@Sendable (Operation, String) -> Errno?)?
        var calls: [Operation] = []
        var stepsLeft: Int?
        var death = Death.before
        var isDead = false
    }

    private let real = POSIXFileSystem()
    private let state = Mutex(State())

    /// Decides for each call whether and how it fails.
    func fail(with fault: (@Sendable (Operation, String) -> Errno?)?) {
        state.withLock { $0.fault = fault }
    }

    /// Dies at the call to come after `steps` others that change something.
    func die(afterSteps steps: Int, _ death: Death) {
        state.withLock { state in
            state.stepsLeft = steps
            state.death = death
        }
    }

    var isDead: Bool { state.withLock { $0.isDead } }

    /// The calls since the last time that this was asked for.
    func takeCalls() -> [Operation] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    private func check(_ operation: Operation, _ path: String = "") throws(Errno) {
        let (isDead, fault) = state.withLock { state in
            state.calls.append(operation)
            return (state.isDead, state.fault)
        }
        // Outside of the lock, for a fault may wait for something.
        let failure = isDead ? .ioError : fault?(operation, path)
        if let failure { throw failure }
    }

    /// Makes a change, unless the process dies or died.
    private func change<Result>(
        _ operation: Operation,
        _ path: String,
        half: () -> Void = {},
        whole: () throws(Errno) -> Result
    ) throws(Errno) -> Result {
        try check(operation, path)
        let death = state.withLock { state -> Death? in
            guard let stepsLeft = state.stepsLeft else { return nil }
            state.stepsLeft = stepsLeft - 1
            guard stepsLeft == 0 else { return nil }
            state.isDead = true
            return state.death
        }
        switch death {
        case nil: return try whole()
        case .before: break
        case .halfway: half()
        case .after: _ = try whole()
        }
        throw .ioError
    }

    func makeDirectory(_ path: String) throws(Errno) {
        try check(.makeDirectory, path)
        try real.makeDirectory(path)
    }

    func names(
        in directory: String,
        where isWanted: (String) -> Bool
    ) throws(Errno) -> [String] {
        try check(.list, directory)
        return try real.names(in: directory, where: isWanted)
    }

    func restrict(directory: String) { real.restrict(directory: directory) }

    func proof(of path: String) throws(Errno) -> Data {
        try check(.read, path)
        return try real.proof(of: path)
    }

    func setProof(_ proof: Data, of file: OpenFile) throws(Errno) {
        if isDead { throw .ioError }
        try real.setProof(proof, of: file)
    }

    func status(of path: String) throws(Errno) -> FileStatus {
        try check(.status, path)
        return try real.status(of: path)
    }

    func read(_ path: String, expecting count: Int) throws(Errno) -> Data {
        try check(.read, path)
        return try real.read(path, expecting: count)
    }

    func write(
        _ data: Data,
        proof: Data?,
        toNew path: String,
        synced: Bool
    ) throws(Errno) -> (OpenFile, FileStatus) {
        if !synced { try check(.unsyncedWrite, path) }
        let half = {
            _ = FileManager.default.createFile(atPath: path, contents: data.prefix(data.count / 2))
        }
        return try change(.write, path, half: half) { () throws(Errno) in
            try real.write(data, proof: proof, toNew: path, synced: synced)
        }
    }

    func write(
        _ data: Data,
        proof: Data?,
        toUnnamedIn directory: String,
        synced: Bool
    ) throws(Errno) -> (OpenFile, FileStatus) {
        try check(.unnamedWrite, directory)
        let path = directory + "/unnamed.tmp"
        if !synced { try check(.unsyncedWrite, path) }
        return try change(.write, path) { () throws(Errno) in
            try real.write(data, proof: proof, toUnnamedIn: directory, synced: synced)
        }
    }

    func link(_ file: OpenFile, to path: String) throws(Errno) {
        try check(.link, path)
        try change(.rename, path) { () throws(Errno) in try real.link(file, to: path) }
    }

    func rename(_ path: String, to other: String) throws(Errno) {
        try change(.rename, other) { () throws(Errno) in try real.rename(path, to: other) }
    }

    func exchange(_ path: String, with other: String) throws(Errno) {
        try check(.exchange, other)
        try change(.rename, other) { () throws(Errno) in try real.exchange(path, with: other) }
    }

    func remove(_ path: String) throws(Errno) {
        try change(.remove, path) { () throws(Errno) in try real.remove(path) }
    }

    func open(_ path: String, writable: Bool) throws(Errno) -> OpenFile {
        guard writable else {
            try check(.open, path)
            return try real.open(path, writable: false)
        }
        return try change(.open, path) { () throws(Errno) in
            try real.open(path, writable: true)
        }
    }

    func status(of file: OpenFile) throws(Errno) -> FileStatus {
        if isDead { throw .ioError }
        return try real.status(of: file)
    }

    func setModified(_ file: OpenFile, to time: Int64) throws(Errno) {
        try check(.status)
        try real.setModified(file, to: time)
    }

    func read(_ file: OpenFile, from offset: Int, count: Int) throws(Errno) -> Data {
        try check(.read)
        return try real.read(file, from: offset, count: count)
    }

    func append(_ data: Data, to file: OpenFile) throws(Errno) {
        let half = { [real] in
            do throws(Errno) {
                try real.append(data.prefix(data.count / 2), to: file)
            } catch {
                preconditionFailure("the test's own file cannot be written: \(error)")
            }
        }
        try change(.append, "", half: half) { () throws(Errno) in
            try real.append(data, to: file)
        }
    }

    func truncate(_ file: OpenFile, to count: Int) throws(Errno) {
        try change(.truncate, "") { () throws(Errno) in try real.truncate(file, to: count) }
    }

    func sync(_ file: OpenFile) throws(Errno) {
        try check(.sync)
        try real.sync(file)
    }

    func sync(directory: String) throws(Errno) {
        try check(.sync, directory)
        try real.sync(directory: directory)
    }

    func lock(_ file: OpenFile, sharing: Bool, waiting limit: Duration) throws(Errno) {
        if !sharing { try check(.lock) }
        try real.lock(file, sharing: sharing, waiting: limit)
    }

    func unlock(_ file: OpenFile) { real.unlock(file) }
}
