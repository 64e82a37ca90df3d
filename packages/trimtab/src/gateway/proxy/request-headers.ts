import { isNamed, type RawHeaders, tokens, withoutHopByHop } from './hop-by-hop.ts';

export interface HeadersToSend {
  /** As they came. */
  raw: RawHeaders;
  /** `host:port` of the API server. */
  host: string;
  /** Where the request came from, for the audit log. */
  address: string;
  /** Says who asks, instead of what the caller sent; undefined when the caller's own credential passes. */
  identity: RawHeaders | undefined;
  /** How the body is sent: its length, in pieces, or not at all. */
  body: BodyShape;
  /** `SPDY/3.1` or `websocket`, when the connection is to become that. */
  upgrade?: string;
}

export type BodyShape = { length: number } | 'chunked' | 'none';

/** What the caller may not say: the API server would believe it, or it is ours to say. */
const forgeable = /^(x-remote-|x-forwarded-|forwarded$|x-real-ip$|host$|expect$|content-length$)/;
/** Who the caller is. With an identity of ours beside it, it would be lent to them. */
const identifying = /^(authorization$|impersonate-|cookie$)/;
/** Browsers can't set headers of a WebSocket, so API servers take a token from here as well. */
const tokenProtocol = 'base64url.bearer.authorization.k8s.io.';

/** The headers of a request on its way to the API server, as Node takes them: names and values in turns. */
export function requestHeaders(to: HeadersToSend): string[] {
  const headers = ['Host', to.host];
  for (const [name, value] of withoutHopByHop(to.raw)) {
    const lower = name.toLowerCase();
    if (forgeable.test(lower)) continue;
    if (to.identity === undefined) headers.push(name, value);
    else if (!identifying.test(lower)) headers.push(...withoutToken(name, value));
  }
  headers.push('X-Forwarded-For', to.address, ...(to.identity ?? []));
  if (to.upgrade !== undefined) headers.push('Connection', 'Upgrade', 'Upgrade', to.upgrade);
  if (to.body === 'chunked') headers.push('Transfer-Encoding', 'chunked');
  else if (to.body !== 'none') headers.push('Content-Length', String(to.body.length));
  return headers;
}

function withoutToken(name: string, value: string): string[] {
  if (!isNamed(name, 'sec-websocket-protocol')) return [name, value];
  const kept = value
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => !protocol.toLowerCase().startsWith(tokenProtocol));
  return kept.length === 0 ? [] : [name, kept.join(', ')];
}

/** The protocol that a request asks to change to, if we can carry it: those of exec, attach and port-forward. */
export function wantedUpgrade({
  connection,
  upgrade,
}: {
  connection?: string;
  upgrade?: string;
}): string | undefined {
  if (upgrade === undefined || !tokens(connection ?? '').includes('upgrade')) return undefined;
  return /^(websocket|spdy\/3\.1)$/i.test(upgrade) ? upgrade : undefined;
}
