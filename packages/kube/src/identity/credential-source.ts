/** What says who we are: headers for each request, or a client certificate for each connection. */
export interface Credential {
  headers: Record<string, string>;
  certificate?: { cert: string; key: string };
}

/** `current` rejects with a OperationalError `CredentialsUnavailable`. */
export interface CredentialSource {
  current(): Promise<Credential>;
  /** The server refused it. */
  invalidate(): void;
}

export function fixedCredential(headers: Record<string, string>): CredentialSource {
  return { current: async () => ({ headers }), invalidate() {} };
}
