import { isPort } from '../../objects/local-ports.ts';
import type { Container, Handler, IntOrString, PodSpec } from '../../objects/pod.ts';
import { containersOf } from '../pod/container-roles.ts';

interface WantedPort {
  port: number;
  name?: string;
}

/** The ports of a container according to its spec: the declared ports, then those of its probes and hooks. */
export function containerPorts({ ports = [], ...container }: Container): WantedPort[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  const handlers = [startupProbe, readinessProbe, livenessProbe, lifecycle?.postStart, lifecycle?.preStop];
  const found = new Map<number, WantedPort>();
  for (const { containerPort: port, name } of ports)
    if (!found.has(port)) found.set(port, { port, ...(name && { name }) });
  for (const port of handlers.flatMap(portsAsked)) if (!found.has(port)) found.set(port, { port });
  return [...found.values()];
}

/** Containers of a pod share its ports, as they share the pod's network in other clusters. */
export function podPorts(spec: PodSpec): number[] {
  const all = containersOf(spec).flatMap(({ container }) => containerPorts(container));
  return [...new Set(all.map(({ port }) => port))];
}

/** Only numeric ports: a name refers to a declared port. A port of another host does not belong to the container. */
function portsAsked(handler: Handler | undefined): number[] {
  const { httpGet, tcpSocket, grpc } = handler ?? {};
  const asked: (IntOrString | undefined)[] = [
    httpGet?.host ? undefined : httpGet?.port,
    tcpSocket?.host ? undefined : tcpSocket?.port,
    grpc?.port,
  ];
  return asked.map(Number).filter(isPort);
}
