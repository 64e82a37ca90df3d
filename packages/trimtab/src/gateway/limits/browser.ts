import type { IncomingHttpHeaders } from 'node:http';
import { forbidden } from '../answer/status-error.ts';

/**
 * Where a request needs no secret (a certificate that the browser shows by itself, or the proxy of a laptop), any page
 * could make one. Browsers say which page it was; throws for those that are not of this server.
 */
export function refuseForeignPages(headers: IncomingHttpHeaders): void {
  const { origin, host = '' } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
  const isSame = site === undefined || site === 'same-origin' || site === 'none';
  if (!isOwn || !isSame) throw forbidden('pages of other origins may not use this server');
}

/** A page whose name was made to point to this machine (DNS rebinding) still says its own name as the host. */
export function refuseForeignHosts({ host = '' }: IncomingHttpHeaders): void {
  if (/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host)) return;
  throw forbidden(`the proxy answers to localhost and 127.0.0.1 only, not to ${JSON.stringify(host)}`);
}
