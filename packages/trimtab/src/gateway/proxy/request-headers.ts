import { isNamed, type RawHeaders, tokens, withoutHopByHop } from './hop-by-hop.ts';

export interface HeadersToSend {
  /** The headers of the incoming request. */
  raw: RawHeaders;
  /** `host:port` of the API server. */
  host: string;
  /** Address of the client, for the audit log. */
  address: string;
  /** ID of the request in the audit log. */
  auditId: string;
  /** Replaces the caller's credentials; undefined when the caller's own are sent. */
  identity: RawHeaders | undefined;
  /** Framing of the body: its length, chunked, or no body. */
  body: BodyShape;
  /** `SPDY/3.1` or `websocket`, for an upgrade request. */
  upgrade?: string;
}

export type BodyShape = { length: number } | 'chunked' | 'none';

/** Headers that a caller must not set: the API server would trust them, or the gateway sets them itself. */
const forgeable = /^(x-remote-|x-forwarded-|forwarded$|x-real-ip$|host$|expect$|content-length$|audit-id$)/;
/** Credentials of the caller. Beside the gateway's identity, impersonation would run with the gateway's rights. */
const identifying = /^(authorization$|impersonate-|cookie$)/;
/** Browsers cannot set the headers of a WebSocket, so API servers also accept a token as this subprotocol. */
const tokenProtocol = 'base64url.bearer.authorization.k8s.io.';

/** The headers of the request to the API server: alternating names and values, as Node takes them. */
export function requestHeaders(to: HeadersToSend): string[] {
  const headers = ['Host', to.host];
  for (const [name, value] of withoutHopByHop(to.raw)) {
    const lower = name.toLowerCase();
    if (forgeable.test(lower)) continue;
    if (to.identity === undefined) headers.push(name, value);
    else if (!identifying.test(lower)) headers.push(...withoutToken(name, value));
  }
  headers.push('X-Forwarded-For', to.address, 'Audit-ID', to.auditId, ...(to.identity ?? []));
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

/** The protocol of an upgrade request, if supported: the protocols of exec, attach and port-forward are. */
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
