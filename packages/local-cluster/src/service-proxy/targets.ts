import type { Endpoint, EndpointSlice, ServicePort } from '../objects/service.ts';

export interface Target {
  host: string;
  port: number;
}

/**
 * The endpoints to which connections to a port of a Service go: the ready ones, or, when none is ready, those that are
 * terminating but still serve.
 */
export function targetsOf(
  { name = '', protocol = 'TCP' }: ServicePort,
  slices: readonly EndpointSlice[],
): Target[] {
  const found = slices.flatMap(({ endpoints, ports }) => {
    const port = ports?.find(
      (each) => (each.name ?? '') === name && (each.protocol ?? 'TCP') === protocol,
    )?.port;
    return port === undefined ? [] : (endpoints ?? []).map((endpoint) => ({ endpoint, port }));
  });
  const ready = found.filter(({ endpoint }) => isReady(endpoint));
  const usable = ready.length > 0 ? ready : found.filter(({ endpoint }) => servesStill(endpoint));
  return usable.flatMap(({ endpoint, port }) =>
    endpoint.addresses.slice(0, 1).map((host) => ({ host, port })),
  );
}

/** An endpoint without the condition is ready. */
function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready !== false;
}

function servesStill({ conditions }: Endpoint): boolean {
  return conditions?.serving === true && conditions.terminating === true;
}
