import type { Service } from '../../objects/service.ts';

/** Address of the API server, for programs that read `KUBERNETES_SERVICE_HOST`. */
export interface ApiServerAddress {
  host: string;
  port: number;
}

/**
 * The Services for which a pod of `namespace` gets variables: the API server's, and those of its namespace if service
 * links are enabled. The API server's Service gets the real address when it is known, because nothing forwards
 * 10.96.0.1 in a local cluster.
 */
export function linkedServices(
  services: readonly Service[],
  { namespace, links, apiServer }: { namespace: string; links: boolean; apiServer?: ApiServerAddress },
): Service[] {
  const linked = new Map<string, Service>();
  for (const service of services) {
    const { name = '', namespace: where } = service.metadata;
    const { clusterIP } = service.spec ?? {};
    if (!clusterIP || clusterIP === 'None') continue;
    if (where === 'default' && name === 'kubernetes') {
      if (!linked.has(name)) linked.set(name, apiServer === undefined ? service : moved(service, apiServer));
    } else if (where === namespace && links) linked.set(name, service);
  }
  return [...linked.values()];
}

function moved({ metadata, spec }: Service, { host, port }: ApiServerAddress): Service {
  const ports = (spec?.ports ?? []).map((each, index) => (index === 0 ? { ...each, port } : each));
  return { metadata, spec: { ...spec, clusterIP: host, ports } };
}

/** `REDIS_SERVICE_HOST`, `REDIS_PORT_6379_TCP_ADDR` and the like. */
export function serviceVariables(services: readonly Service[]): Map<string, string> {
  const variables = new Map<string, string>();
  for (const { metadata, spec } of services) {
    const prefix = variableName(metadata.name ?? '');
    const host = spec?.clusterIP ?? '';
    const ports = spec?.ports ?? [];
    const [first] = ports;
    variables.set(`${prefix}_SERVICE_HOST`, host);
    if (first === undefined) continue;
    variables.set(`${prefix}_SERVICE_PORT`, String(first.port));
    for (const { name, port } of ports)
      if (name) variables.set(`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port));
    for (const each of ports) {
      const protocol = each.protocol || 'TCP';
      const url = `${protocol.toLowerCase()}://${host.includes(':') ? `[${host}]` : host}:${each.port}`;
      const portPrefix = `${prefix}_PORT_${each.port}_${protocol.toUpperCase()}`;
      if (each === first) variables.set(`${prefix}_PORT`, url);
      variables.set(portPrefix, url);
      variables.set(`${portPrefix}_PROTO`, protocol.toLowerCase());
      variables.set(`${portPrefix}_PORT`, String(each.port));
      variables.set(`${portPrefix}_ADDR`, host);
    }
  }
  return variables;
}

function variableName(text: string): string {
  return text.replaceAll('-', '_').toUpperCase();
}
