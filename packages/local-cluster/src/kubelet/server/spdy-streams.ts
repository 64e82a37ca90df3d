import type { Duplex } from 'node:stream';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';
import { ended, parseSize, type SessionStreams, type WantedStreams } from './session-streams.ts';

/** The protocol of clients without WebSocket support: kubectl before 1.31 and many other tools. */
export const spdyProtocols = ['v4.channel.k8s.io'];

/** Kubelet's own timeouts. */
const idleMs = 4 * 3600_000;
const openingMs = 30_000;

/** Waits for the client to open all requested streams of a SPDY connection; undefined when it fails to in time. */
export async function spdyStreams(
  transport: Duplex,
  wanted: WantedStreams,
  clock: Clock,
): Promise<SessionStreams | undefined> {
  const expected = new Set(['error']);
  if (wanted.stdin) expected.add('stdin');
  if (wanted.stdout) expected.add('stdout');
  if (wanted.stderr && !wanted.tty) expected.add('stderr');
  if (wanted.tty) expected.add('resize');
  const found: Record<string, SpdyStream> = {};
  const complete = Promise.withResolvers<void>();
  const connection = new SpdyConnection(transport, {
    clock,
    accepts: ({ streamtype = '' }) => expected.has(streamtype),
    opened(stream) {
      const { streamtype = '' } = stream.headers;
      expected.delete(streamtype);
      found[streamtype] = stream;
      if (expected.size === 0) complete.resolve();
    },
    maxStreams: expected.size,
    idleMs,
  });
  const over = new AbortController();
  void connection.run().then(() => over.abort());
  const late = sleep(clock, openingMs, over.signal).catch(() => {});
  await Promise.race([complete.promise, late]);
  if (expected.size > 0 || over.signal.aborted) {
    connection.close();
    return undefined;
  }
  const { stdin, stdout, stderr, error, resize } = found;
  // Clients send nothing on these streams, but only a flowing stream reports its end.
  for (const each of [stdout, stderr, error]) each?.resume();
  return {
    ...(stdin && { stdin }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    onResize(listener) {
      let rest = '';
      resize?.on('data', (part: Buffer) => {
        const lines = (rest + part.toString('utf8')).slice(-4096).split('\n');
        rest = lines.pop() ?? '';
        for (const size of lines.map(parseSize)) if (size !== undefined) listener(size);
      });
    },
    over: over.signal,
    async finish(status) {
      await Promise.all([ended(stdout), ended(stderr)]);
      error?.write(JSON.stringify(status));
      await ended(error);
      connection.close();
    },
  };
}
