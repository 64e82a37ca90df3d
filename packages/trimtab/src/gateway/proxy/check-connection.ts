import { quoted } from '../../core/messages/quoted.ts';
import { badRequest } from '../../versions/refusal.ts';
import { pairsOf, type RawHeaders, tokens } from './hop-by-hop.ts';

/** What a Connection header may name: options, and headers that concern one connection. */
const connectionOptions = new Set([
  ...['close', 'keep-alive', 'upgrade', 'te', 'trailer', 'http2-settings'],
  ...['proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
]);

/** Headers that say who sends a request, for whom, or where it ends. */
const carriesIdentity =
  /^(authorization$|cookie$|impersonate-(extra-)?|x-remote-|x-forwarded-|forwarded$|x-real-ip$|sec-websocket-protocol$|host$|content-length$|transfer-encoding$)/;

/**
 * Throws for a request whose identity would change on its way. A header that `Connection` names is removed, and without
 * its `Impersonate-User` a request would run with the caller's own rights; so would one in a trailer, which is removed
 * as well. A name with underscores is another header for the API server, and the same one for some proxies.
 */
export function checkConnection(raw: RawHeaders): void {
  for (const [name, value] of pairsOf(raw)) {
    const lower = name.toLowerCase();
    if (lower === 'connection') {
      const odd = tokens(value).find((token) => !connectionOptions.has(token));
      if (odd !== undefined)
        throw badRequest(
          `the Connection header must not name ${quoted(odd)}: that header would not reach the API server`,
        );
    }
    if (lower === 'trailer') {
      const odd = tokens(value).find((token) => carriesIdentity.test(token));
      if (odd !== undefined)
        throw badRequest(`${quoted(odd)} must not be a trailer: send it with the headers`);
    }
    if (hasAmbiguousPart(lower))
      throw badRequest(`the header ${quoted(name)} is ambiguous: write its name with hyphens`);
  }
}

/** What follows a prefix such as `Impersonate-Extra-` is the client's own key, and may contain underscores. */
function hasAmbiguousPart(name: string): boolean {
  if (!name.includes('_')) return false;
  const fixed = carriesIdentity.exec(name.replaceAll('_', '-'))?.[0] ?? '';
  return name.slice(0, fixed.length).includes('_');
}
