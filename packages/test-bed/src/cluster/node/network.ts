/** The network inside a level-2 bed. It is private to the bed, so all beds use the same addresses. */
export const bridge = 'cni-bed';
export const podSubnet = '10.88.77.0/24';
/** The address of the bridge, where the API server, the kubelet, and test servers for pods listen. */
export const bridgeAddress = '10.88.77.1';
/** The address with its prefix length, for `ip address add`. */
export const bridgeAddressAndPrefix = '10.88.77.1/24';
