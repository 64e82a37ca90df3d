import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { type RunningKubectl, startKubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../../api/contract.ts';
import { once, type Target } from '../../api/target.ts';
import { patienceMs } from '../last-words.ts';
import { readyPod } from '../ready-pod.ts';
import type { Stage } from '../stage.ts';

/** A program that echoes its input on port 7000 of its pod. */
const echo = `
  const server = require('net').createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  server.listen(7000, process.env.POD_IP);
`;
const labels = { app: 'echo' };

/** Creates the echo pod and a Service for it. */
const echoing = once(async (target) => {
  const command = ['node', '-e', echo];
  const ports = [{ name: 'echo', containerPort: 7000 }];
  const readinessProbe = { tcpSocket: { port: 7000 }, periodSeconds: 1 };
  const stage = await readyPod(target, 'echo', {
    ...{ image: target.engine.images.node, command, ports, readinessProbe },
  });
  await stage.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'echo' },
    spec: { selector: labels, ports: [{ port: 80, targetPort: 'echo' }] },
  } as Parameters<Stage['create']>[0]);
});

/** Starts kubectl port-forward and waits for the local port. */
async function startForwarding(
  target: Target,
  args: string[],
  env: Record<string, string>,
): Promise<{ running: RunningKubectl; port: number }> {
  await echoing(target);
  const { engine, namespace } = target;
  const running = startKubectl(engine, ['port-forward', ...args], { namespace, env });
  const look = async () => {
    const found = /127\.0\.0\.1:(\d+) ->/.exec(running.stdout())?.[1];
    return found === undefined ? { seen: running.stdout() } : { met: Number(found) };
  };
  try {
    return { running, port: await waitFor('kubectl forwards a port', look) };
  } catch (error) {
    running.stop();
    throw error;
  }
}

/** Forwards a local port while `use` runs. */
async function forwarding<T>(
  target: Target,
  args: string[],
  use: (port: number) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const { running, port } = await startForwarding(target, args, env);
  try {
    return await use(port);
  } finally {
    running.stop();
    await running.ended;
  }
}

/** Sends data and returns the echo. */
function echoed(port: number, sent: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const parts: Buffer[] = [];
    let size = 0;
    socket.on('error', reject);
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      size += part.length;
      // The input ends only after the complete echo: containerd may cut off a client that ends its input earlier.
      if (size >= sent.length) socket.end();
    });
    socket.on('close', () => resolve(Buffer.concat(parts)));
    socket.write(sent);
  });
}

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const options = { needs: 'kubectl', timeoutMs: patienceMs } as const;

contract(
  'ports of pods, forwarded',
  (it) => {
    for (const [protocol, env] of [
      ['WebSocket', {}],
      ['SPDY', { KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
    ] as const) {
      it(
        `port-forward over ${protocol} reaches a port of a pod`,
        async (target) => {
          const sent = Buffer.from('hello');
          const answer = await forwarding(target, ['pod/echo', ':7000'], (port) => echoed(port, sent), env);
          expect(answer.toString()).toBe('hello');
        },
        options,
      );

      it(
        `port-forward over ${protocol} carries 20 MB there and back unharmed`,
        async (target) => {
          const sent = randomBytes(20 * 1024 * 1024);
          const answer = await forwarding(target, ['echo', ':7000'], (port) => echoed(port, sent), env);
          expect([answer.length, hash(answer)]).toEqual([sent.length, hash(sent)]);
        },
        options,
      );

      it(
        `port-forward over ${protocol} to a port where nobody listens says so and ends`,
        async (target) => {
          const { running, port } = await startForwarding(target, ['echo', ':81'], env);
          await echoed(port, Buffer.from('anybody?')).catch(() => {});
          const { stderr, code } = await running.ended;
          expect(stderr).toMatch(
            // The beginning of the message differs between versions of kubectl.
            /an error occurred forwarding.*\berror forwarding port 81 to pod \w[\w-]*, uid : .*connection refused/i,
          );
          expect(stderr).toContain('error: lost connection to pod');
          expect(code).toBe(1);
        },
        options,
      );
    }

    it(
      'port-forward of a Service goes to the port of a pod behind it',
      async (target) => {
        const sent = Buffer.from('hello');
        const answer = await forwarding(target, ['service/echo', ':80'], (port) => echoed(port, sent));
        expect(answer.toString()).toBe('hello');
      },
      options,
    );

    it(
      'port-forward serves connections beside each other, and each gets its own',
      async (target) => {
        const all = Array.from({ length: 8 }, () => randomBytes(300_000));
        const answers = await forwarding(target, ['echo', ':7000'], (port) =>
          Promise.all(all.map((sent) => echoed(port, sent))),
        );
        expect(answers.map(hash)).toEqual(all.map(hash));
      },
      options,
    );
  },
  { pods: 'real', atOnce: true },
);
