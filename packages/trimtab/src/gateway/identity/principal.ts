/** Whose rights a request is made with. */
export type Principal = BearerPrincipal | CertificatePrincipal | OwnerPrincipal;

/** Somebody with a credential of their own, or with none: the cluster knows who that is. */
interface BearerPrincipal {
  is: 'bearer';
  headers: Readonly<Record<string, string>>;
  /** `Impersonate-*` as the caller sent it: RBAC decides whether they may. */
  impersonation: Readonly<Record<string, string[]>>;
}

/** Somebody whose certificate we have verified: the cluster is told who it is by impersonation. */
export interface CertificatePrincipal {
  is: 'certificate';
  user: string;
  groups: readonly string[];
}

/** Whoever started the program: `trimtab proxy` asks as they do. */
interface OwnerPrincipal {
  is: 'owner';
}
