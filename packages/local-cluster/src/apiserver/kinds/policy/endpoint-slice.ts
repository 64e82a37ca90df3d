import { dnsSubdomain } from '../../meta/names.ts';
import { immutable } from '../../meta/validate-meta.ts';
import { type ApiObject, equal } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';
import { validateEndpointSlice } from './validate-endpoint-slice.ts';

export interface Endpoint {
  addresses?: string[] | null;
  hostname?: string;
  nodeName?: string;
  hints?: { forZones?: { name: string }[] };
  targetRef?: { kind?: string };
}

export interface EndpointPort {
  name?: string;
  protocol?: string;
  port?: number;
  appProtocol?: string;
}

export interface EndpointSlice extends ApiObject {
  addressType: string;
  endpoints?: Endpoint[] | null;
  /** An empty list is null, as Go encodes it. */
  ports?: EndpointPort[] | null;
}

/** Maximum number of ports or addresses in a column. */
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
    // Labels name the Service of the endpoints, so consumers have to observe their changes.
    isNewGeneration: ({ metadata }, { metadata: old }) => !equal(metadata.labels ?? {}, old.labels ?? {}),
    validate: validateEndpointSlice,
    validateUpdate: (object, old) => [
      ...validateEndpointSlice(object),
      ...immutable(object.addressType, old.addressType, 'addressType'),
    ],
    warnings: ({ addressType }) =>
      addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [],
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
          (endpoints ?? []).flatMap(({ addresses }) => addresses ?? []),
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
