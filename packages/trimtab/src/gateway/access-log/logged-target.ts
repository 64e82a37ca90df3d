const maxPathLength = 512;
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

/** Also the form that API servers had before v1.10: a client may still send it. */
const toApplication = /^.*?\/(?:(?:pods|services|nodes)\/(?:.*?\/)?proxy|api\/v1\/proxy)\//;

/**
 * The path and the harmless part of the query. What follows `…/proxy/` belongs to an application, which may put a
 * secret into its paths. API servers decode the path before they read it, so the decoded path decides.
 */
export function loggedTarget(url: string): { path: string; query?: string } {
  const [whole = '', ...rest] = url.split('?');
  const decoded = percentDecoded(whole).replace(/\/+/g, '/');
  const known = toApplication.exec(decoded)?.[0];
  const path = known === undefined ? whole : known + (known === decoded ? '' : '…');
  const query = loggedQuery(rest.join('?'));
  return { path: visible(path).slice(0, maxPathLength), ...(query !== '' && { query }) };
}

/** Bytes that are not ASCII are never logged, so they need not be valid UTF-8. */
function percentDecoded(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** The User-Agent of a request, which is whatever the client wants it to be. */
export function loggedAgent(userAgent: string | undefined): string | undefined {
  return userAgent === undefined ? undefined : visible(userAgent).slice(0, 200);
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
