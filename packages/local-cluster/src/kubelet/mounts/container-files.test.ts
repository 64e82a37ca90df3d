import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '@trimtab/kube/clock.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Mount } from '../volumes/container-mounts.ts';
import { ViewBuilder } from './build-view.ts';
import { type ContainerFiles, containerFiles } from './container-files.ts';
import { describeMounts, type MountTools, probeMounts } from './probe-mounts.ts';

const scratch = await mkdtemp(path.join(tmpdir(), 'test-mounts-'));
const probed = await probeMounts(scratch);
const children = new Set<ChildProcess>();

const tools: MountTools | undefined = probed.way === 'namespaces' ? probed.tools : undefined;
const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const builder = (name: string, more: Partial<MountTools>) =>
  tools &&
  new ViewBuilder({ folder: path.join(scratch, name), tools: { ...tools, ...more }, clock: systemClock });
const builders = {
  usual: builder('usual', {}),
  // A non-root user mounts in a user namespace. Root can do so too, which lets the test run as root.
  asUser: builder('as a user', { user }),
};

let folder: string;
let count = 0;

beforeEach(async () => {
  folder = path.join(scratch, `pod ${++count}`);
  await mkdir(path.join(folder, 'config'), { recursive: true });
  await writeFile(path.join(folder, 'config/key'), 'green');
  await mkdir(path.join(folder, 'scratch'));
  await writeFile(path.join(folder, 'message'), '');
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const each of Object.values(builders)) await each?.close();
  await rm(scratch, { recursive: true, force: true });
});

const mount = (where: string, source: string, more: Partial<Mount> = {}): Mount => ({
  path: where,
  source: path.join(folder, source),
  isFolder: true,
  isReadOnly: false,
  ...more,
});

/** Starts a command as the kubelet does: in a new process group, with exactly this environment. */
function start(files: ContainerFiles, command: string[], more: Record<string, string> = {}): ChildProcess {
  const [program = '', ...args] = files.wrap(command);
  const env = { PATH: process.env['PATH'] ?? '', ...files.environment, ...more };
  const child = spawn(program, args, { cwd: files.cwd, env, detached: true });
  children.add(child);
  return child;
}

interface Ended {
  out: string;
  code: number | null;
  signal: string | null;
}

function endOf(child: ChildProcess): Promise<Ended> {
  let out = '';
  child.stdout?.on('data', (data: Buffer) => {
    out += data.toString();
  });
  child.stderr?.on('data', (data: Buffer) => {
    out += data.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      children.delete(child);
      resolve({ out, code, signal });
    });
  });
}

function linkOf(where: string): string {
  try {
    return readlinkSync(where);
  } catch {
    return '';
  }
}

const run = (files: ContainerFiles, command: string[], more: Record<string, string> = {}) =>
  endOf(start(files, command, more));
const sh = (files: ContainerFiles, script: string) => run(files, ['sh', '-c', script]);

describe.runIf(probed.way === 'namespaces').each([
  ['in a mount namespace', builders.usual],
  ['in a user and a mount namespace', builders.asUser],
])('%s', (_, views) => {
  const view = (mounts: Mount[], workingDir = '/') => containerFiles(views, { folder, mounts, workingDir });

  test('a config is at its mount path, where this machine has no such folder, before and after', async () => {
    const files = await view([mount('/etc/test-test/conf.d', 'config', { isReadOnly: true })]);
    expect(await sh(files, 'cat /etc/test-test/conf.d/key')).toMatchObject({ out: 'green', code: 0 });
    expect(existsSync('/etc/test-test')).toBe(false);
    files.close();
  });

  test('the rest of this machine is as it was', async () => {
    const files = await view([mount('/test-test', 'config'), mount('/etc/test-test', 'config')]);
    const { out } = await sh(files, 'ls -A / ; echo; ls -A /etc');
    const [root = '', etc = ''] = out.split('\n\n');
    expect(root.split('\n')).toEqual(expect.arrayContaining(readdirSync('/')));
    expect(etc.split('\n')).toEqual(expect.arrayContaining(readdirSync('/etc')));
    expect((await sh(files, 'cat /etc/passwd')).out).toBe(readFileSync('/etc/passwd', 'utf8'));
    expect((await sh(files, 'echo x > /dev/null && cat /proc/self/comm')).out).toBe('cat\n');
    expect((await run(files, [process.execPath, '-p', '6 * 7'])).out).toBe('42\n');
    files.close();
  });

  test('what is mounted read-only cannot be written, anything else can', async () => {
    const files = await view([
      mount('/test-test/config', 'config', { isReadOnly: true }),
      mount('/test-test/scratch', 'scratch'),
    ]);
    const refused = await sh(files, 'echo red > /test-test/config/key');
    expect(refused.code).not.toBe(0);
    expect(refused.out).toContain('Read-only file system');
    expect(await readFile(path.join(folder, 'config/key'), 'utf8')).toBe('green');
    expect((await sh(files, 'echo made > /test-test/scratch/file')).code).toBe(0);
    expect(await readFile(path.join(folder, 'scratch/file'), 'utf8')).toBe('made\n');
    files.close();
  });

  test('a file is mounted alone, as /dev/termination-log is', async () => {
    const files = await view([mount('/dev/termination-log', 'message', { isFolder: false })]);
    expect((await sh(files, 'echo why > /dev/termination-log; ls /dev/null /dev/tty')).code).toBe(0);
    expect(await readFile(path.join(folder, 'message'), 'utf8')).toBe('why\n');
    files.close();
  });

  test('a volume is mounted inside of another one', async () => {
    const files = await view([
      mount('/test-test/scratch/deep/config', 'config', { isReadOnly: true }),
      mount('/test-test/scratch', 'scratch'),
    ]);
    expect((await sh(files, 'cat /test-test/scratch/deep/config/key')).out).toBe('green');
    files.close();
  });

  test('a program sees what is swapped in the volume while it runs', async () => {
    const files = await view([mount('/test-test', 'config', { isReadOnly: true })]);
    const child = start(files, ['sh', '-c', 'read -r _; cat /test-test/key']);
    const ended = endOf(child);
    await writeFile(path.join(folder, 'config/key'), 'blue');
    child.stdin?.end('\n');
    expect((await ended).out).toBe('blue');
    files.close();
  });

  test('the process is the program itself: PID, group, exit code, signals, user', async () => {
    const files = await view([mount('/test-test', 'config')]);
    const child = start(files, [
      'sh',
      '-c',
      'echo $$ $(ps -o pgid= -p $$ 2>/dev/null || echo $$); id -u; exit 7',
    ]);
    const ended = await endOf(child);
    expect(ended).toMatchObject({ code: 7, signal: null });
    expect(ended.out.split(/\s+/).filter(Boolean)).toEqual([
      String(child.pid),
      String(child.pid),
      String(process.getuid?.()),
    ]);
    const sleeping = start(files, ['sleep', '600']);
    const end = endOf(sleeping);
    await waitFor('the program to run sleep', async () => {
      const seen = await readFile(`/proc/${sleeping.pid}/comm`, 'utf8');
      return seen === 'sleep\n' ? { met: true } : { seen };
    });
    process.kill(-(sleeping.pid ?? 0), 'SIGTERM');
    expect(await end).toMatchObject({ code: null, signal: 'SIGTERM' });
    files.close();
  });

  test('variables arrive as they are, also those that a shell would drop', async () => {
    const files = await view([mount('/test-test', 'config')]);
    const { out } = await run(files, ['env', '-0'], { 'app.size': 'L', TEXT: "two\nlines '$(x)" });
    expect(out.split('\0')).toEqual(expect.arrayContaining(['app.size=L', "TEXT=two\nlines '$(x)"]));
    files.close();
  });

  test('the working directory is the one of the container, and is made when it is missing', async () => {
    const files = await view([mount('/test-test', 'config')], '/test-work/dir');
    expect((await run(files, ['pwd'])).out).toBe('/test-work/dir\n');
    files.close();
    const inVolume = await view([mount('/test-test', 'config')], '/test-test');
    expect((await run(inVolume, ['cat', 'key'])).out).toBe('green');
    inVolume.close();
    expect(existsSync('/test-work')).toBe(false);
  });

  test('what is run beside the program sees the same files, also those that only this container has', async () => {
    const files = await view([mount('/test-test', 'config')], '/test-test');
    const child = start(files, ['sh', '-c', 'echo own > /mine-alone; echo up; exec sleep 600']);
    const ended = endOf(child);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    const beside = await sh(files, 'pwd; cat key /mine-alone; id -u');
    expect(beside.out).toBe(`/test-test\ngreenown\n${process.getuid?.()}\n`);
    expect(existsSync('/mine-alone')).toBe(false);
    files.close();
    child.kill('SIGKILL');
    await ended;
  });

  test('nothing is left: no mount, no namespace that is held', async () => {
    const held = () =>
      readdirSync('/proc/self/fd')
        .map((each) => linkOf(`/proc/self/fd/${each}`))
        .filter((each) => /^(mnt|user):/.test(each));
    const before = held();
    const files = await view([mount('/test-test', 'config')]);
    await sh(files, 'true');
    expect(held().length).toBeGreaterThan(before.length);
    files.close();
    expect(held()).toEqual(before);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(path.basename(scratch));
  });

  test('two containers that see the same do not see what the other one writes', async () => {
    const mounts = [mount('/test-new/config', 'config')];
    const [one, other] = [await view(mounts), await view(mounts)];
    expect((await sh(one, 'echo mine > /test-new/file; mkdir /test-folder')).code).toBe(0);
    expect((await sh(other, 'ls /test-new; ls / | grep test-')).out).toBe('config\ntest-new\n');
  });

  test('a source that is gone is told by name', async () => {
    const gone = view([mount('/test-test', 'nope')]);
    await expect(gone).rejects.toThrow(
      /failed to create the mount namespace of the container: mount: .*nope/,
    );
  });
});

describe('without mount namespaces', () => {
  const view = (mounts: Mount[], workingDir = '/') =>
    containerFiles(undefined, { folder, mounts, workingDir });

  test('the mount path lies under $POD_ROOT', async () => {
    const files = await view([mount('/etc/test-test', 'config'), mount('/etc/test-test2', 'scratch')]);
    expect((await sh(files, 'cat "$POD_ROOT/etc/test-test/key"')).out).toBe('green');
    expect((await sh(files, 'echo 1 > "$POD_ROOT/etc/test-test2/x"')).code).toBe(0);
    expect(files.hostPath('/etc/test-test/key')).toBe(path.join(folder, 'config/key'));
  });

  test('a volume inside of another one is found there, start after start', async () => {
    const mounts = [mount('/data/inner', 'config'), mount('/data', 'scratch')];
    await view(mounts);
    const files = await view(mounts);
    expect((await sh(files, 'cat "$POD_ROOT/data/inner/key"')).out).toBe('green');
  });

  test('the program starts in its working directory: of the volume, of this machine, or a new one', async () => {
    const mounts = [mount('/data', 'config')];
    expect((await run(await view(mounts, '/data'), ['cat', 'key'])).out).toBe('green');
    expect((await run(await view(mounts, '/usr'), ['pwd'])).out).toBe('/usr\n');
    const files = await view(mounts, '/test-work');
    expect((await run(files, ['pwd', '-P'])).out).toBe(`${files.environment['POD_ROOT']}/test-work\n`);
  });

  test('making it anew never touches what the links lead to', async () => {
    await view([mount('/data', 'config')]);
    await view([]);
    expect(await readFile(path.join(folder, 'config/key'), 'utf8')).toBe('green');
  });

  test('people are told, and why', () => {
    expect(describeMounts({ way: 'folders', because: 'this test says so' })).toBe(
      'volumes are under $POD_ROOT, not at their mount paths: this test says so',
    );
  });
});
