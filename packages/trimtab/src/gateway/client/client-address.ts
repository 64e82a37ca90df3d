import type { IncomingMessage } from 'node:http';
import { type IsTrusted, plainAddress } from './trusted-proxies.ts';

/** More proxies than any request passes. It bounds the work for a header that a client makes up. */
const maxProxies = 16;

/**
 * The address of the client behind trusted proxies. Each of them appends the address of its own client to
 * `X-Forwarded-For`, so the header is read from its end, and the first address that is not trusted is the client. What
 * stands before it was sent by the client and proves nothing. An entry that is no address ends the search: the proxy
 * that sent it counts as the client.
 */
export function clientAddress(peer: string, forwardedFor: string, isTrusted: IsTrusted): string {
  let client = plainAddress(peer) ?? 'unknown';
  let rest = forwardedFor;
  for (let proxies = 0; proxies < maxProxies && rest !== '' && isTrusted(client); proxies++) {
    const comma = rest.lastIndexOf(',');
    const address = plainAddress(withoutPort(rest.slice(comma + 1).trim()));
    if (address === undefined) return client;
    client = address;
    rest = rest.slice(0, Math.max(comma, 0));
  }
  return client;
}

/** Returns the address of each request's client, which is determined once. */
export function clientAddresses(isTrusted: IsTrusted): (incoming: IncomingMessage) => string {
  const known = new WeakMap<IncomingMessage, string>();
  return (incoming) => {
    const found = known.get(incoming);
    if (found !== undefined) return found;
    const forwardedFor = String(incoming.headers['x-forwarded-for'] ?? '');
    const address = clientAddress(incoming.socket.remoteAddress ?? '', forwardedFor, isTrusted);
    known.set(incoming, address);
    return address;
  };
}

/** Some load balancers write `192.0.2.7:4711` or `[2001:db8::7]:4711`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(entry)?.[1] ?? entry;
}
