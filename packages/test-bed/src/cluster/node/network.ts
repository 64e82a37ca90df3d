/** The network inside a level-2 bed. It is nobody else's, so that all beds have the same addresses. */
export const bridge = 'cni-bed';
export const podSubnet = '10.88.77.0/24';
/** The bridge's own address: here the API server and the kubelet listen, and tests that pods call. */
export const bridgeAddress = '10.88.77.1';
/** The same with the length of the prefix, as `ip address add` wants it. */
export const bridgeAddressAndPrefix = '10.88.77.1/24';
