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
  /** Called when the kubelet has accepted the upgrade and the session begins. */
  agreed(): void;
}

const sessionPath = /^\/api\/v1\/namespaces\/[^/?]+\/pods\/[^/?]+\/(exec|attach|portforward)(\?|$)/;

/** Whether a request is one of `kubectl exec`, `attach` or `port-forward`, which need a protocol upgrade. */
export function isSession({ url = '', headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && sessionPath.test(url);
}

/** Headers of the protocol upgrade that are forwarded to the kubelet. */
const passed = [
  'upgrade',
  'x-stream-protocol-version',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
];

/**
 * Proxies a session to the kubelet of a pod's node. After the upgrade to WebSocket or SPDY, bytes are copied unchanged
 * in both directions. Resolves when the session has ended; rejects with a StatusError when it was not established.
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
          `error sending request: kubelet of node ${pod.spec.nodeName} is unreachable: ${error.message}`,
        ),
      ),
    );
    client.once('close', () => outgoing.destroy());
    outgoing.end();
  });
}

/** Returns the path of the session on the kubelet. Throws a StatusError. */
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

/** Returns the kubelet's upgrade response unchanged, as its WebSocket accept key is computed for the client. */
function headText({ rawHeaders }: IncomingMessage): string {
  const lines = ['HTTP/1.1 101 Switching Protocols'];
  for (let index = 0; index < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Sends an error on a socket that is already detached from the HTTP server. */
export function refuseUpgrade(client: Socket, error: unknown): void {
  const { status } =
    error instanceof StatusError ? error : internalError('unexpected error; see the log of the API server');
  const body = JSON.stringify(status);
  client.end(
    `HTTP/1.1 ${status.code} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
