import SystemPackage

/// A file descriptor that is closed with its last reference.
final class OpenFile: Sendable {
    let descriptor: FileDescriptor

    init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    deinit {
        // Nothing is buffered in this process, so a failed close loses nothing.
        try? descriptor.close()
    }
}
