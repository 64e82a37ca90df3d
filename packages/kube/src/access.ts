import type { Socket } from 'node:net';

/** How to reach one cluster as one identity. Made by identity/, or by hand where that is too much (the agent). */
export interface ClusterAccess {
  /** `https://host:port`, with a path prefix where the kubeconfig has one. */
  server: string;
  /** The namespace that the context names. */
  namespace: string;
  /** A connection that is made another way than to an address: into a server of this process. */
  connect?(): Socket;
  /** Certificates may rotate on disk: asked for each new connection. */
  tls(): Promise<TlsSettings>;
  /** Authorization and impersonation headers for one request, in lower case: tokens may rotate, too. */
  headers(): Promise<Record<string, string>>;
  /** Those that may stand more than once: impersonated groups and extras. */
  repeatedHeaders?: Readonly<Record<string, string[]>>;
  /**
   * The server answered 401: forget what was cached, so that the next call asks anew. Without it the credential is
   * somebody else's, and a 401 is theirs to see.
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
