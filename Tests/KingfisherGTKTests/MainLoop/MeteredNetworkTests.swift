#if GTK
import CKFGTKHeaders
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

struct MeteredNetworkTests {
    @Test func `the answer follows the monitor's signal`() throws {
        let pointer = UnsafeMutableRawPointer(try #require(g_network_monitor_get_default()))
        let word = Locked(false)
        let reads = Locked(0)
        let network = MeteredNetwork(GObjectReference(retaining: pointer)) {
            reads.change { $0 += 1 }
            return word.value
        }
        func say(_ isMetered: Bool) {
            word.change { $0 = isMetered }
            g_object_notify(pointer.assumingMemoryBound(to: GObject.self), "network-metered")
        }
        #expect(!network.isMetered)
        say(true)
        #expect(network.isMetered)
        say(false)
        #expect(!network.isMetered)
        // Every caller gets the cached value.
        #expect(reads.value == 3)
    }

    @Test func `a monitor that begins metered is metered before its first signal`() throws {
        let pointer = UnsafeMutableRawPointer(try #require(g_network_monitor_get_default()))
        let network = MeteredNetwork(GObjectReference(retaining: pointer)) { true }
        #expect(network.isMetered)
    }

    @Test func `attaching makes GIO's monitor the one that downloaders ask`() throws {
        MainLoop.attach()
        let monitor = try #require(g_network_monitor_get_default())
        let isMetered = g_network_monitor_get_network_metered(monitor) != 0
        #expect(NetworkMeter.system.hasSource)
        #expect(NetworkMeter.system.isMetered == isMetered)
        #expect(try #require(MeteredNetwork.system).isMetered == isMetered)
    }
}
#endif
