import type { InstallationScope } from '../../core/installation/installation-scope.ts';

/** Options of `trimtab manifests --gateway`. */
export interface GatewayManifestOptions extends InstallationScope {
  /** Whether pods may read Secrets through the gateway. Defaults to true. */
  secrets?: boolean;
  /** The gateway runs with `--client-ca` and needs the right to impersonate. Defaults to false. */
  clientCertificates?: boolean;
}

export const gatewayAccount = 'trimtab-gateway';

/** Container port that the Service targets. */
export const gatewayContainerPort = 8443;

/** Secret in the home namespace with the gateway's own authority and its key. */
export const authoritySecret = 'trimtab-gateway-authority';
