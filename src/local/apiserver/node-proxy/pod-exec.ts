import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { badRequest, internalError, notFound, StatusError } from '../errors/status-error.ts';
import { pod as podKind } from '../kinds/core/pod.ts';
import type { Pod } from '../kinds/core/pod-types.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';
import { type Kubelets, refusalOf } from './kubelet.ts';
import { podContainer } from './pod-container.ts';

export interface ExecTarget {
  namespace: string;
  name: string;
  query: URLSearchParams;
  /** The session begins. */
  agreed(): void;
}

/** Whether a request is for `kubectl exec`. kubectl tries SPDY after WebSocket, and shows that refusal only. */
export function isExec({ url = '', headers }: IncomingMessage): boolean {
  return (
    headers.upgrade !== undefined && /^\/api\/v1\/namespaces\/[^/?]+\/pods\/[^/?]+\/exec(\?|$)/.test(url)
  );
}

/** Headers that belong to this connection's agreement, and go on to the kubelet. */
const passed = [
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
];

/**
 * `kubectl exec`: when the kubelet agrees to speak WebSocket, bytes go through as they are, in both directions. Resolves
 * when the session is over; rejects with a StatusError when there was none.
 */
export async function podExec(
  { storage, kubelets }: { storage: ObjectStorage; kubelets: Kubelets },
  { namespace, name, query, agreed }: ExecTarget,
  incoming: IncomingMessage,
  client: Socket,
  head: Buffer,
): Promise<void> {
  const pod = storage.get(podKind, namespace, name)?.object as Pod | undefined;
  if (pod === undefined) throw notFound(podKind, name);
  const container = podContainer(pod, query.get('container'));
  if (['Succeeded', 'Failed'].includes(pod.status.phase ?? ''))
    throw badRequest(`cannot exec into a container in a completed pod; current phase is ${pod.status.phase}`);
  if (!query.has('command')) throw badRequest('you must specify at least 1 command for the container');
  const asked = new URLSearchParams(query);
  asked.delete('container');
  const path = ['exec', namespace, name, container].map(encodeURIComponent).join('/');
  const headers = Object.fromEntries(
    passed.flatMap((each) => (incoming.headers[each] ? [[each, incoming.headers[each]]] : [])),
  );
  // Asked in plain HTTP, the kubelet says why not.
  const isWebSocket = incoming.headers.upgrade?.toLowerCase() === 'websocket';
  const outgoing = kubelets.request(pod, `/${path}?${asked}`, {
    ...headers,
    ...(isWebSocket && { connection: 'Upgrade', upgrade: 'websocket' }),
  });
  await new Promise<void>((resolve, reject) => {
    outgoing.once('upgrade', (answer, server: Socket, rest) => {
      agreed();
      client.write(headText(answer));
      client.write(rest);
      server.write(head);
      server.on('error', () => client.destroy());
      client.once('close', () => server.destroy());
      server.once('close', () => {
        client.end();
        resolve();
      });
      server.pipe(client);
      client.pipe(server);
    });
    outgoing.once('response', (answer) => {
      void refusalOf(answer).then((why) =>
        reject(answer.statusCode === 500 ? internalError(why) : badRequest(why)),
      );
    });
    outgoing.once('error', (error) =>
      reject(
        internalError(
          `error sending request: the kubelet of ${pod.spec.nodeName} does not answer: ${error.message}`,
        ),
      ),
    );
    client.once('close', () => outgoing.destroy());
    outgoing.end();
  });
}

/** What the kubelet has agreed to, word for word: the key of the agreement is between it and the client. */
function headText({ rawHeaders }: IncomingMessage): string {
  const lines = ['HTTP/1.1 101 Switching Protocols'];
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** A refusal on a connection that HTTP has let go of already. */
export function refuseUpgrade(client: Socket, error: unknown): void {
  const { status } =
    error instanceof StatusError ? error : internalError('the server failed; its log says why');
  const body = JSON.stringify(status);
  client.end(
    `HTTP/1.1 ${status.code} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
