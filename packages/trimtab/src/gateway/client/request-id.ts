import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the ID of each request: the client's own `Audit-ID` if it is a UUID, else a new one. API servers take over the
 * ID that a request brings, so the access log of the gateway and the audit log of the cluster name the same one.
 */
export function requestIds(): (incoming: IncomingMessage) => string {
  const known = new WeakMap<IncomingMessage, string>();
  return (incoming) => {
    const found = known.get(incoming);
    if (found !== undefined) return found;
    const sent = String(incoming.headers['audit-id'] ?? '');
    const id = uuid.test(sent) ? sent : randomUUID();
    known.set(incoming, id);
    return id;
  };
}
