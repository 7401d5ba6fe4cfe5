/// Which addresses a transfer must not connect to.
///
/// The check sees the address of the socket, after the name was resolved and before anything is
/// sent, for each connection and each redirect: a name that changes its address in between (DNS
/// rebinding) cannot pass. A transfer with a restricting policy uses no proxy, because only the
/// proxy would see the address.
public struct AddressPolicy: Sendable, Hashable {
    /// The kinds of address that are refused.
    public var refused: Set<AddressRange>

    /// Creates a policy that refuses `refused`.
    public init(refusing refused: Set<AddressRange>) {
        self.refused = refused
    }

    /// Connects to anything; right for apps, whose URLs come from their own server.
    public static let unrestricted = AddressPolicy(refusing: [])

    /// Connects to public unicast addresses only; right for servers that fetch what users name.
    public static let publicOnly = AddressPolicy(refusing: Set(AddressRange.allCases))

    /// Whether everything is allowed, so that there is nothing to check.
    public var isUnrestricted: Bool { refused.isEmpty }
}
