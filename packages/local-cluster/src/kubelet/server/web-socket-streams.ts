import { Readable, Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { ended, parseSize, type SessionStreams, type WantedStreams } from './session-streams.ts';

/** kubectl uses v5 since 1.30; older clients use v4. */
export const channelProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** The first byte of each message, as Kubernetes numbers the streams. */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
/** Limit of buffered input in bytes; beyond it, reading from the client pauses until the program catches up. */
const maxWaiting = 1024 * 1024;

/** Streams as channels of one WebSocket. */
export function webSocketStreams(socket: WebSocket, wanted: WantedStreams): SessionStreams {
  const over = new AbortController();
  const stdin = new Readable({ highWaterMark: maxWaiting, read: () => socket.resume() });
  let resized: (text: string) => void = () => {};
  socket.on('message', (data: Buffer) => {
    const [channel] = data;
    if (channel === channels.stdin) {
      if (wanted.stdin && !stdin.push(data.subarray(1))) socket.pause();
    } else if (channel === channels.resize) resized(data.toString('utf8', 1));
    // Only v5 of the protocol can signal the end of the input.
    else if (channel === channels.close && data[1] === channels.stdin) stdin.push(null);
  });
  socket.on('error', () => {});
  const stdout = wanted.stdout ? channelOf(socket, channels.stdout) : undefined;
  const stderr = wanted.stderr && !wanted.tty ? channelOf(socket, channels.stderr) : undefined;
  socket.once('close', () => {
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
    over.abort();
  });
  socket.resume();
  return {
    ...(wanted.stdin && { stdin }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    onResize(listener) {
      resized = (text) => {
        const size = parseSize(text);
        if (size !== undefined) listener(size);
      };
    },
    over: over.signal,
    async finish(status) {
      await Promise.all([ended(stdout), ended(stderr)]);
      socket.send(message(channels.error, Buffer.from(JSON.stringify(status))), () => socket.close(1000));
      // A paused socket would never receive the client's close frame.
      socket.resume();
    },
  };
}

/** Writes one message at a time; each waits until the previous one has been sent. */
function channelOf(socket: WebSocket, channel: number): Writable {
  return new Writable({
    write(part: Buffer, _, done) {
      socket.send(message(channel, part), { binary: true }, (error) => done(error));
    },
  }).on('error', () => {});
}

function message(channel: number, part: Buffer): Buffer {
  return Buffer.concat([Buffer.from([channel]), part]);
}
