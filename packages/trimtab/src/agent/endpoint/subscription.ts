import { X509Certificate } from 'node:crypto';
import { isPodHost } from './pod-address.ts';
import { badRequest } from './request-error.ts';

/** A hook: the agent sends a request to `url` when configs change. */
export interface Subscription {
  id: string;
  url: string;
  /** The container that has subscribed; it is told by the hook only, without a signal. */
  container?: string;
  /** PEM of the authorities that the agent trusts for an https URL. */
  ca?: string;
}

/** The pod to which a hook must lead. */
export interface HookTarget {
  podIps: readonly string[];
  /** The containers that are told about changes. */
  containers: readonly string[];
}

const example = '{"url": "http://localhost:8080/reload"}';

/** Parses the body of `POST /config/hooks`. Throws a RequestError 400 that shows a valid body. */
export function parseSubscription(text: string, target: HookTarget): Omit<Subscription, 'id'> {
  const { url, ca, container } = parseObject(text);
  return checkSubscription({ url, ca, container }, target);
}

/** Checks a subscription that was received or stored. Throws a RequestError 400. */
export function checkSubscription(
  { url, ca, container }: { url?: unknown; ca?: unknown; container?: unknown },
  target: HookTarget,
): Omit<Subscription, 'id'> {
  const subscriber = containerOf(container, target.containers);
  return {
    url: checkUrl(url, target.podIps),
    ...(subscriber !== undefined && { container: subscriber }),
    ...(ca !== undefined && { ca: checkAuthorities(ca) }),
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The message of the parser quotes the body.
  }
  throw badRequest(`The body is not a JSON object. Send a body such as ${example}`);
}

function checkUrl(text: unknown, podIps: readonly string[]): string {
  if (typeof text !== 'string' || text.length > 2_048 || !URL.canParse(text))
    throw badRequest(`"url" is not a URL. Send a body such as ${example}`);
  const { protocol, hostname, username, password, href } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw badRequest(`"url" must begin with http:// or https://. Send a body such as ${example}`);
  if (username !== '' || password !== '')
    throw badRequest(
      '"url" must not contain a user or a password. The agent sends the token of the pod in the header "Authorization".',
    );
  if (!isPodHost(hostname, podIps))
    throw badRequest(
      `"url" must lead to this pod: to localhost, a loopback address or an IP of the pod. Send a body such as ${example}`,
    );
  return href;
}

function containerOf(container: unknown, known: readonly string[]): string | undefined {
  if (container === undefined) return known.length === 1 ? known[0] : undefined;
  if (typeof container === 'string' && known.includes(container)) return container;
  const names = known.length === 0 ? 'this pod has none' : `the pod has ${known.join(', ')}`;
  throw badRequest(`"container" must name a container that uses a config; ${names}`);
}

function checkAuthorities(ca: unknown): string {
  try {
    if (typeof ca === 'string') new X509Certificate(ca);
    if (typeof ca === 'string') return ca;
  } catch {
    // The parser does not say what a user could do.
  }
  throw badRequest('"ca" is not a PEM certificate. It must begin with -----BEGIN CERTIFICATE-----');
}
