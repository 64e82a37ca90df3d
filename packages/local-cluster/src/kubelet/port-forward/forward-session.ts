import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '@trimtab/kube/clock.ts';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import { portOf, type StreamPair, StreamPairs } from './stream-pairs.ts';

/** Where the ports of a pod are. */
export interface ForwardTarget {
  uid: string;
  addressOf(port: number): { host: string; port: number };
  /** Aborts when the pod begins to end. */
  ending: AbortSignal;
}

/** Two for each connection. */
const maxStreams = 1_000;
/** As the kubelet has it. */
const idleMs = 4 * 3600_000;
/**
 * When the client has said all, the program may go on for so long. A kubectl whose own client went away tells no more
 * than that, and would be sent to for ever; containerd waits for one second only.
 */
const answerMs = 60_000;

/** Forwards connections to the ports of a pod, until the client goes or the pod ends. */
export async function forwardSession(transport: Duplex, target: ForwardTarget, clock: Clock): Promise<void> {
  const pairs = new StreamPairs(clock, (pair) => forward(pair, target, clock));
  const connection = new SpdyConnection(transport, {
    clock,
    accepts: (headers) => portOf(headers) !== undefined,
    opened: (stream) => pairs.add(stream),
    maxStreams,
    idleMs,
  });
  const close = () => connection.close();
  if (target.ending.aborted) close();
  target.ending.addEventListener('abort', close, { once: true });
  await connection.run();
  target.ending.removeEventListener('abort', close);
}

function forward({ port, data, error }: StreamPair, target: ForwardTarget, clock: Clock): void {
  const address = target.addressOf(port);
  const socket: Socket = connect({ ...address, allowHalfOpen: true, noDelay: true });
  let cancel: () => void = () => {};
  // Nothing comes on it, but its end has to be heard.
  error.resume();
  data.once('end', () => {
    cancel = clock.after(answerMs, () => socket.destroy());
  });
  data.once('close', () => socket.destroy());
  socket.once('error', (failure: NodeJS.ErrnoException) => {
    // Told of a connection that there never was, kubectl ends; one that breaks is its client's affair.
    if (!socket.connecting && failure.syscall !== 'connect') return;
    const why = `dial tcp4 ${address.host}:${address.port}: connect: ${wordsOf(failure)}`;
    error.end(`error forwarding port ${port} to pod ${target.uid}, uid : ${why}`);
  });
  socket.once('close', () => {
    cancel();
    error.end();
    if (socket.readableEnded) data.end();
    else data.destroy();
  });
  data.pipe(socket);
  socket.pipe(data);
}

/** As Go says it. */
function wordsOf({ code, message }: NodeJS.ErrnoException): string {
  return code === 'ECONNREFUSED' ? 'connection refused' : message;
}
