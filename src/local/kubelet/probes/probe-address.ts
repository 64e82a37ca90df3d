import type { Container, IntOrString } from '../../objects/pod.ts';

/** The number of a port that a probe or hook names; throws in the kubelet's words when there is none. */
export function portNumber(port: IntOrString, { ports = [] }: Container): number {
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

/** Why a connection failed, as Go tells it. */
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
