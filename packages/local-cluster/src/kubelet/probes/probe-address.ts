import type { Container, IntOrString } from '../../objects/pod.ts';
import type { RunningContainer } from '../pod/probe-results.ts';

/** The container that is probed. */
export type ProbeTarget = Pick<RunningContainer, 'container' | 'podIP' | 'ports'>;

/** The address of a probe or hook. Ports of the container are mapped to local ports; those of a named host are not. */
export function placeOf(
  { host, port }: { host?: string; port: IntOrString },
  { container, podIP, ports }: ProbeTarget,
): { host: string; port: number } {
  const number = portNumber(port, container);
  return host ? { host, port: number } : { host: podIP, port: ports.get(number) ?? number };
}

/** Resolves the port of a probe or hook to its number; throws the kubelet's message when there is no such port. */
function portNumber(port: IntOrString, { ports = [] }: Container): number {
  const named = typeof port === 'string' ? ports.find(({ name }) => name === port)?.containerPort : undefined;
  const number = named ?? Number(port);
  if (!Number.isInteger(number)) throw new Error(`couldn't find port: "${port}"`);
  if (number < 1 || number > 65_535) throw new Error(`invalid port number: ${number}`);
  return number;
}

/** `[::1]:80`, `127.0.0.2:80` */
export function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** The reason of a failed connection, as Go words it. */
export function dialProblem(address: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    ECONNREFUSED: 'connect: connection refused',
    ECONNRESET: 'read: connection reset by peer',
    EHOSTUNREACH: 'connect: no route to host',
    ENETUNREACH: 'connect: network is unreachable',
  };
  const why = code === undefined ? undefined : known[code];
  return `dial tcp ${address}: ${why ?? (error instanceof Error ? error.message : String(error))}`;
}
