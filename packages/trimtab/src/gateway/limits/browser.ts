import type { IncomingHttpHeaders } from 'node:http';
import { quoted } from '../../core/messages/quoted.ts';
import { forbidden } from '../answer/status-error.ts';

/**
 * Refuses requests of pages of other origins. Where a request needs no secret (a client certificate that the browser
 * sends by itself, or `trimtab proxy`), any web page could make one. Browsers name the page's origin in the request.
 */
export function refuseForeignPages(headers: IncomingHttpHeaders): void {
  const { origin, host = '' } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
  const isSame = site === undefined || site === 'same-origin' || site === 'none';
  if (!isOwn || !isSame) throw forbidden('cross-origin requests are not allowed');
}

/** Refuses foreign host names: a page that uses DNS rebinding to reach this machine still sends its own host name. */
export function refuseForeignHosts({ host = '' }: IncomingHttpHeaders): void {
  if (/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host)) return;
  throw forbidden(
    `the host ${quoted(host)} is not allowed: the proxy serves localhost, 127.0.0.1 and [::1] only`,
  );
}
