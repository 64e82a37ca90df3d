import type { Socket } from 'node:net';

/**
 * Address and credentials for one cluster as one identity. identity/ creates it; programs for which identity/ is too
 * large (the agent) build their own.
 */
export interface ClusterAccess {
  /** `https://host:port`, with a path prefix where the kubeconfig has one. */
  server: string;
  /** Namespace of the kubeconfig context. */
  namespace: string;
  /** Opens the connection when the server has no address because it runs in this process. */
  connect?(): Socket;
  /** Called for each new connection, because certificates may rotate on disk. */
  tls(): Promise<TlsSettings>;
  /** Authorization and impersonation headers, in lower case. Called for each request, because tokens may rotate. */
  headers(): Promise<Record<string, string>>;
  /** Headers that may occur more than once: impersonated groups and extras. */
  repeatedHeaders?: Readonly<Record<string, string[]>>;
  /**
   * Drops the cached credential after a 401 response, so the next call obtains a new one. Omitted when the credential
   * belongs to a caller, who must see the 401.
   */
  invalidate?(): void;
}

export interface TlsSettings {
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  servername?: string;
  rejectUnauthorized?: boolean;
}
