import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { badRequest, internalError, notFound, StatusError } from '../errors/status-error.ts';
import { pod as podKind } from '../kinds/core/pod.ts';
import type { Pod } from '../kinds/core/pod-types.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';
import { type Kubelets, refusalOf } from './kubelet.ts';
import { podContainer } from './pod-container.ts';

export interface SessionTarget {
  /** `exec`, `attach` or `portforward`. */
  subresource: string;
  namespace: string;
  name: string;
  query: URLSearchParams;
  /** The session begins. */
  agreed(): void;
}

const sessionPath = /^\/api\/v1\/namespaces\/[^/?]+\/pods\/[^/?]+\/(exec|attach|portforward)(\?|$)/;

/** Whether a request is for `kubectl exec`, `attach` or `port-forward`, which go on in another protocol. */
export function isSession({ url = '', headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && sessionPath.test(url);
}

/** Headers that belong to this connection's agreement, and go on to the kubelet. */
const passed = [
  'upgrade',
  'x-stream-protocol-version',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
];

/**
 * A session with the kubelet of a pod's node: when it agrees to speak WebSocket or SPDY, bytes go through as they are, in
 * both directions. Resolves when the session is over; rejects with a StatusError when there was none.
 */
export async function podSession(
  { storage, kubelets }: { storage: ObjectStorage; kubelets: Kubelets },
  target: SessionTarget,
  incoming: IncomingMessage,
  client: Socket,
  head: Buffer,
): Promise<void> {
  const { namespace, name, agreed } = target;
  const pod = storage.get(podKind, namespace, name)?.object as Pod | undefined;
  if (pod === undefined) throw notFound(podKind, name);
  const headers = Object.fromEntries(
    passed.flatMap((each) => (incoming.headers[each] ? [[each, incoming.headers[each]]] : [])),
  );
  const outgoing = kubelets.request(pod, kubeletPath(pod, target), { ...headers, connection: 'Upgrade' });
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

/** Where the kubelet has it. Throws a StatusError. */
function kubeletPath(pod: Pod, { subresource, namespace, name, query }: SessionTarget): string {
  const path = (...parts: string[]) => `/${parts.map(encodeURIComponent).join('/')}`;
  if (subresource === 'portforward') return path('portForward', namespace, name);
  const container = podContainer(pod, query.get('container'));
  const { phase = '' } = pod.status;
  if (['Succeeded', 'Failed'].includes(phase))
    throw badRequest(
      `cannot ${subresource === 'exec' ? 'exec into' : subresource} a container in a completed pod; current phase is ${phase}`,
    );
  if (subresource === 'exec' && !query.has('command'))
    throw badRequest('you must specify at least 1 command for the container');
  const asked = new URLSearchParams(query);
  asked.delete('container');
  return `${path(subresource, namespace, name, container)}?${asked}`;
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
