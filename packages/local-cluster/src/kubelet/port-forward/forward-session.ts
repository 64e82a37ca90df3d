import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '@trimtab/kube/clock.ts';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import { portOf, type StreamPair, StreamPairs } from './stream-pairs.ts';

/** The pod whose ports are forwarded. */
export interface ForwardTarget {
  uid: string;
  addressOf(port: number): { host: string; port: number };
  /** Aborts when the pod begins to terminate. */
  ending: AbortSignal;
}

/** Each connection uses two streams. */
const maxStreams = 1_000;
/** Kubelet's own timeout. */
const idleMs = 4 * 3600_000;
/**
 * How long the program may continue to send after the client has ended its input. kubectl sends nothing else when its
 * own client disconnects, so without a limit the data would flow for ever. containerd waits for one second only.
 */
const answerMs = 60_000;

/** Forwards connections to the ports of a pod until the client disconnects or the pod ends. */
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
  // Clients send nothing on this stream, but only a flowing stream reports its end.
  error.resume();
  data.once('end', () => {
    cancel = clock.after(answerMs, () => socket.destroy());
  });
  data.once('close', () => socket.destroy());
  socket.once('error', (failure: NodeJS.ErrnoException) => {
    // A message on the error stream ends kubectl, so only a failure to connect is reported. A connection that breaks
    // later is closed towards the client.
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

/** The reason as Go words it. */
function wordsOf({ code, message }: NodeJS.ErrnoException): string {
  return code === 'ECONNREFUSED' ? 'connection refused' : message;
}
