import SystemPackage

/// A file descriptor that is closed when its last reference is released.
final class OpenFile: Sendable {
    let descriptor: FileDescriptor

    init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    deinit {
        // Nothing is buffered in this process, so a failed close loses nothing.
        try? descriptor.close()
    }
}
