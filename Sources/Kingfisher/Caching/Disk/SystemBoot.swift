import Foundation

/// The time since the machine was started, as far as a cache is concerned.
enum SystemBoot {
    /// Tells this start of the machine from all others; nil where the kernel does not say.
    static let id: String? = {
        // No such file: then nobody can tell a power cut from a crash.
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        return text.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    }()
}
