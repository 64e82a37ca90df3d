import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pods } from '@trimtab/kube/resource.ts';
import { startKubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import type { Container, Pod } from '../../../../src/objects/pod.ts';
import { contract } from '../../api/contract.ts';
import type { Target } from '../../api/target.ts';
import { patienceMs } from '../last-words.ts';
import { readyPod } from '../ready-pod.ts';
import { Stage } from '../stage.ts';

const script = (text: string): Partial<Container> => ({ command: ['sh', '-c', text] });

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const options = { needs: 'kubectl', timeoutMs: patienceMs } as const;

contract(
  'sessions of kubectl with pods',
  (it) => {
    it(
      'attach shows what a container prints from then on, until it ends',
      async (target) => {
        await readyPod(
          target,
          'talks',
          script('until [ -e stop ]; do echo tick; sleep 0.1; done; echo bye; echo oops >&2'),
        );
        const { engine, namespace } = target;
        const attached = startKubectl(engine, ['attach', 'talks'], { namespace });
        await waitFor('output of the container', async () =>
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
        await readyPod(target, 'listens', { ...script('sed s/^/got-/'), stdin: true, stdinOnce: true });
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
        await readyPod(target, 'shows', script('exec sleep 600'));
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
        await stage.wait('the pod is gone', async () => {
          const pod = await stage.find<Pod>(pods, 'visit');
          return pod === undefined ? { met: true } : { seen: JSON.stringify(pod.metadata) };
        });
      },
      options,
    );

    it(
      'exec and attach work over SPDY, too: input, output, errors and the exit code',
      async (target) => {
        const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' };
        await readyPod(target, 'old', { ...script('sed s/^/got-/'), stdin: true, stdinOnce: true });
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

    for (const [subresource = '', command = '', ...more] of [
      ['portforward', 'port-forward', ':80'],
      ['attach', 'attach'],
      ['exec', 'exec', '--', 'true'],
    ])
      it(
        `who may get pods/${subresource} but not create it is refused`,
        async (target) => {
          const who = `looker-${subresource}`;
          const stage = await readyPod(target, who, script('exec sleep 600'));
          const resource = `--resource=pods,pods/${subresource}`;
          await stage.kubectl('create', 'role', who, '--verb=get', resource);
          await stage.kubectl('create', 'rolebinding', who, `--role=${who}`, `--user=${who}`);
          // The new role takes effect with a delay. Once it has, only the permission to create is missing.
          const mayLook = ['auth', 'can-i', 'get', 'pods', `--subresource=${subresource}`, '--as', who];
          await stage.wait('the role takes effect', async () => {
            const { stdout } = await target.kubectl(mayLook);
            return stdout.startsWith('yes') ? { met: true } : { seen: stdout };
          });
          const { code, stderr } = await target.kubectl(['--as', who, command, who, ...more]);
          expect(stderr).toContain(
            `pods "${who}" is forbidden: User "${who}" cannot create resource "pods/${subresource}" in API group "" in the namespace "${target.namespace}"`,
          );
          expect(code).toBe(1);
        },
        options,
      );

    it(
      'sessions that are asked for in plain HTTP are refused',
      async (target) => {
        await readyPod(target, 'plain', script('exec sleep 600'));
        for (const session of ['exec?command=ls&stdout=true', 'attach?stdout=true', 'portforward']) {
          const { code, text } = await target.api.get(target.core(`pods/plain/${session}`));
          expect([code, text], session).toEqual([400, expect.stringContaining('Upgrade request required')]);
        }
      },
      options,
    );

    it(
      'cp copies folders into a pod and out of it',
      async (target) => {
        const stage = await readyPod(target, 'keeps', script('exec sleep 600'));
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
  { pods: 'real', atOnce: true },
);

/** Runs kubectl in a terminal. `prepare` is a shell script that receives the command as its arguments. */
async function atTerminal({ engine, namespace }: Target, prepare: string, args: string[]) {
  const config = ['--kubeconfig', engine.kubeconfig, '--namespace', namespace];
  const words = ['sh', '-c', prepare, 'sh', engine.kubectl, ...config, ...args];
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  // The input stays open, because its end would be sent to the terminal as a typed character.
  const child = spawn('script', ['--quiet', '--return', '--command', quoted, '/dev/null']);
  let stdout = '';
  child.stdout.on('data', (part) => {
    stdout += part;
  });
  const [code] = await once(child, 'close');
  return { stdout, code };
}
