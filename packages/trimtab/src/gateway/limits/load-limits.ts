/** What clients may have open at the same time. */
export interface LoadLimits {
  maxConnections: number;
  maxConnectionsPerAddress: number;
  /** Connections that have not sent a request yet, of which one address may have a quarter. */
  maxUnusedConnections: number;
  /** Of which one address may have half, and one credential a quarter. Streams are not counted. */
  maxRequestsInFlight: number;
  /** Watches, logs, exec and port-forward, with the same shares. */
  maxStreams: number;
}

export const noLoadLimits: LoadLimits = {
  maxConnections: Number.POSITIVE_INFINITY,
  maxConnectionsPerAddress: Number.POSITIVE_INFINITY,
  maxUnusedConnections: Number.POSITIVE_INFINITY,
  maxRequestsInFlight: Number.POSITIVE_INFINITY,
  maxStreams: Number.POSITIVE_INFINITY,
};
