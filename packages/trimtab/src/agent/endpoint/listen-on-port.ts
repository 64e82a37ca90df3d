import type { Server } from 'node:net';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { annotations } from '../../api/names.ts';

/** IPv4 and IPv6; a machine without IPv6 has only the second. */
const everywhere = ['::', '0.0.0.0'];

/** Returns the port. Throws an OperationalError that says what to do. */
export async function listenOnPort(server: Server, port: number, host?: string): Promise<number> {
  for (const each of host === undefined ? everywhere : [host]) {
    const error = await listen(server, each, port);
    if (error === undefined) {
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    }
    if (each === '::' && host === undefined && lacksIpv6.has(error.code ?? '')) continue;
    throw new OperationalError(errors.ServerFailed, describe(error, port), { cause: error });
  }
  throw new RangeError('no address is left');
}

const lacksIpv6 = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL']);

function listen(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ host, port }, () => {
      server.off('error', resolve);
      resolve(undefined);
    });
  });
}

function describe({ code, message }: NodeJS.ErrnoException, port: number): string {
  const problem = `the in-pod endpoint cannot listen on port ${port}`;
  const remedy = `Set another port with the annotation ${annotations.configPort}.`;
  if (code === 'EADDRINUSE') return `${problem}: another container of the pod uses it. ${remedy}`;
  if (code === 'EACCES') return `${problem}: permission denied for ports below 1024. ${remedy}`;
  return `${problem}: ${message}`;
}
