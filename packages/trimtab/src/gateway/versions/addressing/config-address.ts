import { quoted } from '../../../core/messages/quoted.ts';
import type { ConfigAddress } from '../../../core/references/config-address.ts';
import type { ConfigKind } from '../../../core/references/references.ts';
import { badRequest, type Refusal } from '../../../versions/refusal.ts';

export const plurals: Record<ConfigKind, 'configmaps' | 'secrets'> = {
  ConfigMap: 'configmaps',
  Secret: 'secrets',
};

/** Each route is defined once per kind, so the kind is not part of the path parameters. */
export function addressOf(
  kind: ConfigKind,
  { namespace = '', name = '' }: Readonly<Record<string, string>>,
): ConfigAddress {
  if (!isObjectName(namespace)) throw invalidName(namespace, 'namespace name', 'label');
  if (!isObjectName(name)) throw invalidName(name, 'object name', 'subdomain');
  return { kind, namespace, name };
}

function invalidName(value: string, what: string, rule: string): Refusal {
  return badRequest(`${quoted(value)} is not a valid ${what}: must be a lowercase RFC 1123 ${rule}`);
}

/** RFC 1123 subdomain, the rule for ConfigMaps and Secrets. The API server applies the stricter rule for namespaces. */
function isObjectName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);
}
