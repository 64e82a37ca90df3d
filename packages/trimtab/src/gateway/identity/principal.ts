/** The identity whose rights a request runs with. */
export type Principal = BearerPrincipal | CertificatePrincipal | OwnerPrincipal;

/** A caller with a credential in the headers, or with none. The API server authenticates the caller. */
interface BearerPrincipal {
  is: 'bearer';
  headers: Readonly<Record<string, string>>;
  /** `Impersonate-*` headers as the caller sent them. RBAC decides whether the caller may impersonate. */
  impersonation: Readonly<Record<string, string[]>>;
}

/** A caller whose client certificate the gateway has verified. The gateway impersonates this user. */
export interface CertificatePrincipal {
  is: 'certificate';
  user: string;
  groups: readonly string[];
}

/** The user who started `trimtab proxy`; all its requests use that user's kubeconfig. */
interface OwnerPrincipal {
  is: 'owner';
}
