import type { ConfigKind } from '../../../core/references/references.ts';
import { badRequest } from '../../answer/status-error.ts';

/** Which config a request is about. */
export interface ConfigAddress {
  kind: ConfigKind;
  namespace: string;
  name: string;
}

export const plurals: Record<ConfigKind, 'configmaps' | 'secrets'> = {
  ConfigMap: 'configmaps',
  Secret: 'secrets',
};

/** The routes exist once for each kind, so that none of them has to ask which it is. */
export function addressOf(
  kind: ConfigKind,
  { namespace = '', name = '' }: Readonly<Record<string, string>>,
): ConfigAddress {
  for (const [what, value] of Object.entries({ namespace, name }))
    if (!isObjectName(value)) throw badRequest(`${JSON.stringify(value)} is not a ${what} of Kubernetes`);
  return { kind, namespace, name };
}

/** DNS-1123 subdomain, as Kubernetes asks of the names of ConfigMaps, Secrets and (shorter) namespaces. */
function isObjectName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);
}
