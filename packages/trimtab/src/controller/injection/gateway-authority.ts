import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { gatewayTrust } from '../../api/names.ts';

const knownMs = 30_000;

/**
 * Returns a function that reads the certificate authority of the gateway, which injected agents trust. The gateway
 * publishes it in a ConfigMap. Throws while that does not exist.
 */
export function gatewayAuthority(
  client: Pick<KubeClient, 'get'>,
  namespace: string,
  clock: Clock,
): (signal: AbortSignal) => Promise<string> {
  let known: { bundle: string; until: number } | undefined;
  return async (signal) => {
    if (known !== undefined && clock.monotonic() < known.until) return known.bundle;
    const where = { namespace, name: gatewayTrust.configMap };
    const found = await getIfExists<ConfigBody>(client, configMaps, where, { signal });
    const bundle = found?.data?.[gatewayTrust.key];
    if (bundle === undefined)
      throw new Error(
        `ConfigMap ${namespace}/${gatewayTrust.configMap} does not exist: start the gateway, or set --gateway-ca-file`,
      );
    known = { bundle, until: clock.monotonic() + knownMs };
    return bundle;
  };
}
