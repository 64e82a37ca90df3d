import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { pods } from '../../../../src/kube/resource.ts';
import type { Container, Pod } from '../../../../src/local/objects/pod.ts';
import { type KubectlOptions, type RunningKubectl, startKubectl } from '../../../support/kubectl.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { contract } from '../../api/contract.ts';
import { once as first, type Target } from '../../api/target.ts';
import { patienceMs } from '../last-words.ts';
import { Stage } from '../stage.ts';

/** Sends back what it gets, on port 7000 of its pod. */
const echo = `
  const server = require('net').createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  server.listen(7000, process.env.POD_IP);
`;
const labels = { app: 'echo' };

/** A pod that answers, and a Service in front of it. */
const echoing = first(async (target) => {
  const command = ['node', '-e', echo];
  const ports = [{ name: 'echo', containerPort: 7000 }];
  const readinessProbe = { tcpSocket: { port: 7000 }, periodSeconds: 1 };
  const stage = await start(target, 'echo', {
    ...{ image: target.engine.images.node, command, ports, readinessProbe },
  });
  await stage.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'echo' },
    spec: { selector: labels, ports: [{ port: 80, targetPort: 'echo' }] },
  } as Parameters<Stage['create']>[0]);
});

/** A pod with one container, when it is Ready. */
async function start(target: Target, name: string, container: Partial<Container>): Promise<Stage> {
  const stage = await Stage.on(target);
  await stage.create<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      containers: [{ name: 'app', image: target.engine.images.busybox, ...container }],
    },
  });
  await waitFor(
    `${name} is Ready`,
    async () => {
      const pod = await stage.find<Pod>(pods, name);
      const isReady = pod?.status?.conditions?.some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      );
      return isReady ? { met: pod } : { seen: JSON.stringify(pod?.status) };
    },
    { timeoutMs: patienceMs, everyMs: 100 },
  );
  return stage;
}

const script = (text: string): Partial<Container> => ({ command: ['sh', '-c', text] });

function going(target: Target, args: string[], options: KubectlOptions = {}): RunningKubectl {
  return startKubectl(target.engine, args, { namespace: target.namespace, ...options });
}

/** Forwards a local port while `use` runs; answers what kubectl said in the end. */
async function forwarding<T>(
  target: Target,
  args: string[],
  use: (port: number) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  await echoing(target);
  const running = going(target, ['port-forward', ...args], { env });
  try {
    const port = await waitFor('it forwards', async () => {
      const found = /127\.0\.0\.1:(\d+) ->/.exec(running.stdout())?.[1];
      return found === undefined ? { seen: running.stdout() } : { met: Number(found) };
    });
    return await use(port);
  } finally {
    running.stop();
    await running.ended;
  }
}

/** What comes back for what is sent. */
function echoed(port: number, sent: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const parts: Buffer[] = [];
    let size = 0;
    socket.on('error', reject);
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      size += part.length;
      // Said first by us: who only stops to send may be cut off by containerd.
      if (size >= sent.length) socket.end();
    });
    socket.on('close', () => resolve(Buffer.concat(parts)));
    socket.write(sent);
  });
}

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const options = { needs: 'kubectl', timeoutMs: patienceMs } as const;

export const kubectlSessions = contract(
  'sessions of kubectl with pods',
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
          await echoing(target);
          const running = going(target, ['port-forward', 'echo', ':81'], { env });
          const port = await waitFor('it forwards', async () => {
            const found = /127\.0\.0\.1:(\d+) ->/.exec(running.stdout())?.[1];
            return found === undefined ? { seen: running.stdout() } : { met: Number(found) };
          });
          await echoed(port, Buffer.from('anybody?')).catch(() => {});
          const { stderr, code } = await running.ended;
          expect(stderr).toMatch(
            /an error occurred forwarding \d+ -> 81: error forwarding port 81 to pod \w[\w-]*, uid : .*connection refused/,
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

    it(
      'attach shows what a container prints from then on, until it ends',
      async (target) => {
        await start(
          target,
          'talks',
          script('until [ -e stop ]; do echo tick; sleep 0.1; done; echo bye; echo oops >&2'),
        );
        const attached = going(target, ['attach', 'talks']);
        await waitFor('it ticks', async () =>
          attached.stdout().includes('tick\ntick\n') ? { met: true } : { seen: attached.stdout() },
        );
        await (await Stage.on(target)).kubectl('exec', 'talks', '--', 'touch', 'stop');
        const { stdout, stderr, code } = await attached.ended;
        expect([stdout.endsWith('tick\nbye\n'), code]).toEqual([true, 0]);
        expect(stderr).toContain('oops\n');
      },
      options,
    );

    it(
      'attach -i gives a container that wants input what comes in, to the end',
      async (target) => {
        await start(target, 'listens', { ...script('sed s/^/got-/'), stdin: true, stdinOnce: true });
        const stdin = 'one\ntwo\n';
        const { stdout, code } = await target.kubectl(['attach', '-i', 'listens'], { stdin });
        expect([stdout, code]).toEqual(['got-one\ngot-two\n', 0]);
      },
      options,
    );

    it(
      'run -i --rm is a command in a pod of its own',
      async (target) => {
        const { busybox } = target.engine.images;
        const args = [
          'run',
          'passing',
          `--image=${busybox}`,
          '-i',
          '--rm',
          '--restart=Never',
          '--',
          'wc',
          '-l',
        ];
        const { stdout, stderr } = await target.kubectl(args, { stdin: 'one\ntwo\n', timeoutMs: 60_000 });
        expect(stdout, stderr).toMatch(/^\s*2\n/);
      },
      options,
    );

    it(
      'exec -it runs a command in a terminal of the size of the user’s',
      async (target) => {
        await start(target, 'shows', script('exec sleep 600'));
        const inside = 'until [ "$(stty size)" = "33 77" ]; do sleep 0.1; done; tty; exit 4';
        const { stdout, code } = await atTerminal(target, 'stty rows 33 cols 77; exec "$@"', [
          ...['exec', '-it', 'shows', '--', 'sh', '-c', inside],
        ]);
        expect(stdout).toMatch(/\/dev\/pts\/\d+\r\n/);
        expect(code).toBe(4);
      },
      options,
    );

    it(
      'run -it --rm is a shell in a pod of its own, at the user’s terminal',
      async (target) => {
        const inside = 'until [ "$(stty size)" = "33 77" ]; do sleep 0.1; done; echo it fits';
        const image = `--image=${target.engine.images.busybox}`;
        const args = ['run', 'visit', image, '-it', '--rm', '--restart=Never', '--', 'sh', '-c', inside];
        const { stdout, code } = await atTerminal(target, 'stty rows 33 cols 77; exec "$@"', args);
        expect([stdout, code]).toEqual([expect.stringContaining('it fits\r\n'), 0]);
        const stage = await Stage.on(target);
        expect(await stage.find<Pod>(pods, 'visit')).toBeUndefined();
      },
      options,
    );

    it(
      'exec and attach work over SPDY, too: input, output, errors and the exit code',
      async (target) => {
        const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' };
        await start(target, 'old', { ...script('sed s/^/got-/'), stdin: true, stdinOnce: true });
        const stdin = 'line\n'.repeat(200_000);
        const command = ['sh', '-c', 'wc -c; echo apart >&2; exit 5'];
        const ran = await target.kubectl(['exec', '-i', 'old', '--', ...command], { env, stdin });
        expect([ran.stdout.trim(), ran.code]).toEqual(['1000000', 5]);
        expect(ran.stderr).toContain('apart\n');
        const attached = await target.kubectl(['attach', '-i', 'old'], { env, stdin: 'one\n' });
        expect([attached.stdout, attached.code]).toEqual(['got-one\n', 0]);
      },
      options,
    );

    for (const [command, subresource] of [
      [['port-forward', 'echo', ':7000'], 'portforward'],
      [['attach', 'echo'], 'attach'],
      [['exec', 'echo', '--', 'true'], 'exec'],
    ] as const)
      it(
        `who may get pods/${subresource} but not create it is refused`,
        async (target) => {
          await echoing(target);
          const stage = await Stage.on(target);
          const who = `looker-${subresource}`;
          const resource = `--resource=pods,pods/${subresource}`;
          await stage.kubectl('create', 'role', who, '--verb=get', resource);
          await stage.kubectl('create', 'rolebinding', who, `--role=${who}`, `--user=${who}`);
          const { code, stderr } = await target.kubectl(['--as', who, ...command]);
          expect(stderr).toContain(
            `pods "echo" is forbidden: User "${who}" cannot create resource "pods/${subresource}" in API group "" in the namespace "${target.namespace}"`,
          );
          expect(code).toBe(1);
        },
        options,
      );

    it(
      'cp copies folders into a pod and out of it',
      async (target) => {
        const stage = await start(target, 'keeps', script('exec sleep 600'));
        const here = await mkdtemp(join(tmpdir(), 'trimtab-cp-'));
        try {
          await mkdir(join(here, 'given', 'deep'), { recursive: true });
          const bytes = randomBytes(1_000_000);
          await writeFile(join(here, 'given', 'deep', 'bytes'), bytes);
          await stage.kubectl('cp', join(here, 'given'), 'keeps:taken');
          await stage.kubectl('exec', 'keeps', '--', 'mv', 'taken/deep/bytes', 'taken/deep/moved');
          await stage.kubectl('cp', 'keeps:taken', join(here, 'back'));
          expect(hash(await readFile(join(here, 'back', 'deep', 'moved')))).toBe(hash(bytes));
        } finally {
          await rm(here, { recursive: true });
        }
      },
      options,
    );
  },
  { atOnce: true },
);

/** Runs kubectl as at a terminal: `prepare` is a script in it, whose arguments are the command. */
async function atTerminal({ engine, namespace }: Target, prepare: string, args: string[]) {
  const config = ['--kubeconfig', engine.kubeconfig, '--namespace', namespace];
  const words = ['sh', '-c', prepare, 'sh', engine.kubectl, ...config, ...args];
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  // Its input stays open: the end of it would be typed into the terminal.
  const child = spawn('script', ['--quiet', '--return', '--command', quoted, '/dev/null']);
  let stdout = '';
  child.stdout.on('data', (part) => {
    stdout += part;
  });
  const [code] = await once(child, 'close');
  return { stdout, code };
}
