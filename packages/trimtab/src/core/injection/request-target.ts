/** A request of the agent, such as `POST http://localhost:9090/-/reload`. */
export interface RequestTarget {
  method: string;
  url: string;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Parses `[METHOD] URL`; undefined for other text. */
export function parseRequestTarget(text: string, defaultMethod: string): RequestTarget | undefined {
  const [, given = defaultMethod, address = ''] = /^(?:([A-Za-z]+)\s+)?(\S+)$/.exec(text.trim()) ?? [];
  const method = given.toUpperCase();
  const url = parseHttpUrl(address);
  return url === undefined || !methods.includes(method) ? undefined : { method, url };
}

/**
 * Any host is allowed, as in --reload-url of Prometheus' config-reloader: an application may be told by way of a Service.
 * Credentials are not allowed, because all users who may read the pod would see them.
 */
export function parseHttpUrl(text: string): string | undefined {
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  return url === undefined || url.username !== '' || url.password !== '' ? undefined : text;
}
