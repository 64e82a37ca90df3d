const maxPathLength = 512;
/** Any client may send a long path, so no more of it is decoded and searched than the log may need. */
const maxRawLength = 2 * maxPathLength;
/** Enough for any User-Agent of a Kubernetes client. */
const maxAgentLength = 200;
/** A longer query is not parsed: it is longer than any of Kubernetes. */
const maxQueryLength = 4096;

const flag = /^(true|false|0|1)?$/i;
const count = /^\d{1,20}$/;

/** The parameters that are logged, each with the values that it may have. Others may contain anything. */
const harmless: Readonly<Record<string, RegExp>> = {
  ...{ watch: flag, follow: flag, allowWatchBookmarks: flag, sendInitialEvents: flag, force: flag },
  ...{ limit: count, timeoutSeconds: count, resourceVersion: count, tailLines: count },
  ...{ purge: flag, wait: /^\d{1,6}(ms|s|m|h)$/, dryRun: /^All$/ },
  fieldValidation: /^(Ignore|Warn|Strict)$/,
  propagationPolicy: /^(Orphan|Background|Foreground)$/,
};

/** The resources whose `proxy` subresource leads to an application. */
const proxied = new Set(['pods', 'services', 'nodes']);

/**
 * The path and the harmless part of the query. What follows `…/proxy/` belongs to an application, which may put a
 * secret into its paths. API servers decode the path before they read it, so the decoded path decides.
 */
export function loggedTarget(url: string): { path: string; query?: string } {
  const mark = url.indexOf('?');
  const isQueried = mark >= 0;
  const whole = url.slice(0, Math.min(isQueried ? mark : url.length, maxRawLength));
  const decoded = percentDecoded(whole).replace(/\/+/g, '/');
  const known = partOfKubernetes(decoded);
  const path = known === undefined ? whole : known + (known === decoded ? '' : '…');
  const query = isQueried ? loggedQuery(url.slice(mark + 1, mark + 2 + maxQueryLength)) : '';
  return { path: visible(path.slice(0, maxPathLength)), ...(query !== '' && { query }) };
}

/**
 * The path up to `…/proxy/`; undefined when it leads to no application. `/api/v1/proxy/` is the form that API servers
 * had before v1.10: a client may still send it.
 */
function partOfKubernetes(path: string): string | undefined {
  const segments = path.split('/');
  let isProxied = false;
  for (const [index, segment] of segments.entries()) {
    const isOld = segments[index - 1] === 'v1' && segments[index - 2] === 'api';
    const isLast = index === segments.length - 1;
    if (segment === 'proxy' && (isProxied || isOld) && !isLast)
      return `${segments.slice(0, index + 1).join('/')}/`;
    isProxied ||= proxied.has(segment);
  }
  return undefined;
}

/** Bytes that are not ASCII are never logged, so they need not be valid UTF-8. */
function percentDecoded(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** The User-Agent of a request, which is whatever the client wants it to be. */
export function loggedAgent(userAgent: string | undefined): string | undefined {
  return userAgent === undefined ? undefined : visible(userAgent.slice(0, maxAgentLength));
}

function loggedQuery(query: string): string {
  if (query === '' || query.length > maxQueryLength) return '';
  const kept = [...new URLSearchParams(query)].filter(
    ([name, value]) => Object.hasOwn(harmless, name) && harmless[name]?.test(value),
  );
  return kept.map(([name, value]) => `${name}=${value}`).join('&');
}

/** Keeps visible ASCII, and the dots that the gateway itself has put in. */
function visible(text: string): string {
  return text.replace(/[^\x20-\x7e…]/g, '?');
}
