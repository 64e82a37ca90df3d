/** What `trimtab manifests --gateway` is asked for. */
export interface GatewayManifestOptions {
  /** Serve this namespace's pods only; every namespace's unless told. */
  namespace?: string;
  /** False: pods get no Secrets through the gateway. */
  secrets?: boolean;
  /** The gateway runs with `--client-ca`, so it has to tell the cluster who somebody is. */
  clientCertificates?: boolean;
}

export const gatewayAccount = 'trimtab-gateway';

export const gatewayServiceName = 'trimtab-gateway';

/** The port of the gateway's pods that its Service leads to. */
export const gatewayContainerPort = 8443;

/** In the home namespace: the Secret with the gateway's own authority and its key. */
export const authoritySecret = 'trimtab-gateway-authority';

/** In the home namespace: the ConfigMap with what clients should trust, without the key. */
export const trustConfigMap = 'trimtab-gateway-ca';

export const trustKey = 'ca.crt';
