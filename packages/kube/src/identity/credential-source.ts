/** The credential of a client: headers for each request, or a client certificate for each connection. */
export interface Credential {
  headers: Record<string, string>;
  certificate?: { cert: string; key: string };
}

/** `current` rejects with an OperationalError `CredentialsUnavailable`. */
export interface CredentialSource {
  current(): Promise<Credential>;
  /** Drops the cached credential, because the server responded with 401. */
  invalidate(): void;
}

export function fixedCredential(headers: Record<string, string>): CredentialSource {
  return { current: async () => ({ headers }), invalidate() {} };
}
