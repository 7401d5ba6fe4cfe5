/// The addresses that a transfer must not connect to.
///
/// The policy is applied to the address of the socket, after name resolution and before anything is
/// sent, for each connection and each redirect. A name whose address changes between check and use
/// (DNS rebinding) therefore cannot bypass it. A transfer with a restricting policy uses no proxy,
/// because only the proxy would know the final address.
public struct AddressPolicy: Sendable, Hashable {
    /// The kinds of addresses that are refused.
    public var refused: Set<AddressRange>

    /// Creates a policy that refuses `refused`.
    public init(refusing refused: Set<AddressRange>) {
        self.refused = refused
    }

    /// Allows all addresses; suitable for apps that load URLs of their own server.
    public static let unrestricted = AddressPolicy(refusing: [])

    /// Allows only public unicast addresses; suitable for servers that load URLs given by users.
    public static let publicOnly = AddressPolicy(refusing: Set(AddressRange.allCases))

    /// Whether all addresses are allowed.
    public var isUnrestricted: Bool { refused.isEmpty }
}
