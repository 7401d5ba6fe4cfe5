import Testing

@testable import Kingfisher

struct MemoryLimitTests {
    private func limit(_ files: [String: String]) -> UInt64 {
        MemoryLimit.bytes(physical: 1_000_000) { files[$0] }
    }

    @Test func `without control groups the machine's memory is the limit`() {
        #expect(limit([:]) == 1_000_000)
    }

    @Test func `W-26: the unified hierarchy limits at every level`() {
        let files = [
            "/proc/self/cgroup": "0::/outer/inner\n",
            "/sys/fs/cgroup/outer/inner/memory.max": "max\n",
            "/sys/fs/cgroup/outer/memory.max": "4000\n",
        ]
        #expect(limit(files) == 4_000)
    }

    @Test func `W-26: a container sees its own group at the root`() {
        let files = [
            "/proc/self/cgroup": "0::/system.slice/docker-1.scope\n",
            "/sys/fs/cgroup/memory.max": "5000\n",
        ]
        #expect(limit(files) == 5_000)
    }

    @Test func `W-26: the memory controller of the first version limits too`() {
        let files = [
            "/proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/group\n0::/\n",
            "/sys/fs/cgroup/memory/group/memory.limit_in_bytes": "6000\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        ]
        #expect(limit(files) == 6_000)
    }

    @Test func `nonsense limits nothing`() {
        let files = ["/proc/self/cgroup": "a\n1:2\n0::/\n", "/sys/fs/cgroup/memory.max": "-5"]
        #expect(limit(files) == 1_000_000)
    }

    @Test func `MEM-1: the default cost is a quarter of what the process may use`() {
        #expect(MemoryLimit.defaultCacheCost() == Int(MemoryLimit.bytes() / 4))
    }
}
