import { dnsSubdomain } from '../../meta/names.ts';
import type { ApiObject } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';

interface EndpointSlice extends ApiObject {
  addressType: string;
  endpoints?: { addresses?: string[] }[] | null;
  /** A list without any is null, as Go shows it. */
  ports?: { name?: string; protocol?: string; port?: number }[] | null;
}

/** Longer lists are cut. */
const shown = 3;

export const endpointSlice = defineKind<EndpointSlice>({
  group: 'discovery.k8s.io',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  storageVersionHash: 'qgS0xkrxYAI=',
  definition: 'io.k8s.api.discovery.v1.EndpointSlice',
  hasGeneration: true,
  strategy: {
    nameRule: dnsSubdomain,
    defaults({ ports }) {
      for (const port of ports ?? []) {
        port.name ??= '';
        port.protocol ??= 'TCP';
      }
    },
  },
  columns: [
    nameColumn,
    { name: 'AddressType', value: ({ addressType }) => addressType },
    {
      name: 'Ports',
      value: ({ ports }) =>
        cut(
          (ports ?? []).map(({ port, name }) => String(port ?? (name || '*'))),
          '<unset>',
        ),
    },
    {
      name: 'Endpoints',
      value: ({ endpoints }) =>
        cut(
          (endpoints ?? []).flatMap(({ addresses = [] }) => addresses),
          '<unset>',
        ),
    },
    ageColumn,
  ],
});

function cut(texts: readonly string[], none: string): string {
  if (texts.length === 0) return none;
  const rest = texts.length - shown;
  return rest > 0 ? `${texts.slice(0, shown).join(',')} + ${rest} more...` : texts.join(',');
}
