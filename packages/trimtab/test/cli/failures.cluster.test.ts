import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { story } from '@trimtab/test-bed/story/story.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyCrd } from '../support/apply-crd.ts';
import { clusterWithoutTrimtab } from './support/cluster-without-trimtab.ts';
import { InstalledLinks } from './support/installed-links.ts';
import { runTrimtab } from './support/run-trimtab.ts';

const engine = await currentEngine();
let folder: string;
let namespace: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'trimtab-failures-'));
  await applyCrd(await engine.connect());
  const [given] = await story(engine);
  namespace = given.namespace;
  await given.objects(configMap('foo'), deployment('web', mountingConfigMap('foo', '/etc/foo')));
});

afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  await engine.close();
});

async function kubeconfigWith(text: string): Promise<string> {
  const file = path.join(folder, 'kubeconfig');
  await writeFile(file, text);
  return file;
}

const unmanage = (...flags: string[]) =>
  runTrimtab(engine, ['unmanage', 'deployment/web', ...flags], { namespace });

describe('a kubeconfig that cannot be used', () => {
  test.each([
    ['is not YAML', '{ clusters: [', 'is not valid YAML: ', []],
    ['is empty', '', 'is empty or not a YAML mapping', []],
    ['has no context', 'apiVersion: v1\nkind: Config\n', 'has no current-context', []],
    [
      'lacks the context of the flag',
      'contexts: [{ name: blue, context: { cluster: a } }]\n',
      "has no context 'green'",
      ['--context', 'green'],
    ],
  ])('%s', async (_, text, problem, flags) => {
    const kubeconfig = await kubeconfigWith(text);
    const { stdout, stderr, code } = await runTrimtab(engine, ['unmanage', 'foo', ...flags], { kubeconfig });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(problem);
    expect(stderr).toContain(kubeconfig);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  });

  test('does not exist, or is not a file', async () => {
    const missing = await runTrimtab(engine, ['adopt', '--dry-run', '--kubeconfig', '/nowhere/config']);
    expect(missing).toMatchObject({
      stderr: 'error: The kubeconfig /nowhere/config cannot be read.\n',
      code: 2,
    });
    const listed = await runTrimtab(engine, ['adopt', '--dry-run'], { kubeconfig: '/nowhere/a:/nowhere/b' });
    expect(listed.stderr).toContain('None of the files in KUBECONFIG exists: /nowhere/a, /nowhere/b');
    const none = await runTrimtab(engine, ['adopt', '--dry-run'], { kubeconfig: '', env: { HOME: folder } });
    expect(none.stderr).toMatch(/^error: (No cluster is configured|The kubeconfig )/);
    expect(none.code).toBe(2);
    const notAFile = await runTrimtab(engine, ['adopt', '--dry-run', '--kubeconfig', folder]);
    expect(notAFile).toMatchObject({ code: 2, stderr: `error: The kubeconfig ${folder} cannot be read.\n` });
  });
});

describe('a cluster that cannot be used', () => {
  test('refuses the connection, as kubectl says it', async () => {
    const kubeconfig = await engine.kubeconfigOf(undefined, { url: 'https://127.0.0.1:1' });
    const ours = await runTrimtab(engine, ['unmanage', 'deployment/web'], { kubeconfig });
    expect(ours).toEqual({
      stdout: '',
      stderr:
        'The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n' +
        'hint: check the server of the kubeconfig with `kubectl cluster-info`\n',
      code: 1,
    });
  });

  test('does not answer in time', async () => {
    const sockets = new Set<Socket>();
    const silent: Server = createServer((socket) => void sockets.add(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    try {
      const { stdout, stderr, code } = await runTrimtab(engine, [
        ...['unmanage', 'deployment/web'],
        ...['-s', `http://127.0.0.1:${port}`, '--request-timeout', '300ms'],
      ]);
      expect(stderr).toMatch(/^Unable to connect to the server: .*\(ETIMEDOUT\)/);
      expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });

  test('does not accept the token', async () => {
    const { server } = await engine.access();
    const result = await runTrimtab(
      engine,
      ['unmanage', 'deployment/web', '-s', server, '--insecure-skip-tls-verify', '--token', 'expired'],
      { kubeconfig: path.join(folder, 'none') },
    );
    expect(result).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(
        /^error: You must be logged in to the server \(Unauthorized\)\nhint: the token or certificate/,
      ),
      code: 1,
    });
    expect(result.stderr).not.toContain('expired\n');
  });

  test('does not allow it: the verb and the resource are named', async () => {
    const kubeconfig = await engine.kubeconfigOf({ user: 'mallory' });
    const { stderr, code } = await runTrimtab(engine, ['pin', 'deployment/web'], { namespace, kubeconfig });
    expect(stderr).toBe(
      `Error from server (Forbidden): deployments.apps "web" is forbidden: User "mallory" cannot get resource "deployments" in API group "apps" in the namespace "${namespace}"\n` +
        `hint: this needs the verb "get" on "deployments.apps" in namespace ${namespace}; ask your administrator to grant it\n`,
    );
    expect(code).toBe(1);
  });

  test('does not have Trimtab', async () => {
    await using without = await clusterWithoutTrimtab(engine);
    for (const args of [
      ['unmanage', 'configmap/foo'],
      ['unmanage', 'deployment/web'],
      ['adopt', '--dry-run'],
      ['manage', 'deployment/web'],
    ]) {
      const result = await runTrimtab(engine, [...args, '-s', without.url], { namespace });
      expect(result, args.join(' ')).toEqual({
        stdout: '',
        stderr:
          'error: Trimtab is not installed in this cluster: the API server does not serve trimtab.dev/v1alpha1\n' +
          'hint: install it with `trimtab manifests | kubectl apply -f -`, and run `trimtab controller`\n',
        code: 1,
      });
    }
    const version = await runTrimtab(engine, ['version', '-s', without.url]);
    expect(version.stdout).toContain(
      'Trimtab: not installed; run `trimtab manifests | kubectl apply -f -`\n',
    );
  });

  test('the answer to an unknown group is the one that these tests assume', async () => {
    const client = await engine.connect();
    await expect(client.raw({ method: 'GET', path: '/apis/unknown.example.com/v1' })).rejects.toMatchObject({
      status: 404,
      body: { message: expect.stringMatching(/text\/plain|could not find the requested resource/) },
    });
  });
});

describe('a command line that is not valid', () => {
  test.each([
    [['mange'], "unknown command 'trimtab mange'. Did you mean `trimtab manage`?"],
    [['manage', 'deployment/web', '--dryrun'], 'unknown flag --dryrun; did you mean --dry-run?'],
    [['manage', 'deploymnt/web'], 'did you mean deployment?'],
    [['manage'], 'argument OBJECT is required'],
    [['pin', 'deployment/web', 'api'], "unexpected argument 'api'"],
    [['pin', 'deployment/Web'], "'Web' is not a valid object name: must be a lowercase RFC 1123 subdomain"],
    [['version', '-o', 'xml'], "--output must be one of json, yaml, not 'xml'"],
    [['completion', 'tcsh'], "unsupported shell 'tcsh': must be one of bash, zsh, fish, powershell"],
    [['--namespace', 'x'], 'a command is required'],
  ])('%j', async (args, problem) => {
    const { stdout, stderr, code } = await runTrimtab(engine, args);
    expect(stderr).toContain(problem);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  });

  test('an unknown output format is refused with the words of kubectl', async () => {
    const ours = await runTrimtab(engine, ['adopt', '--dry-run', '-o', 'xml'], { namespace });
    const theirs = await kubectl(engine, ['get', 'configmaps', '-o', 'xml'], { namespace });
    const words = 'unable to match a printer suitable for the output format "xml", allowed formats are: ';
    expect(theirs.stderr).toContain(words);
    expect(ours.stderr).toBe(`error: ${words}json,jsonpath=,name,wide,yaml\n`);
    expect(ours.code).toBe(2);
  });
});

test('a reader that has seen enough ends the command without an error', async () => {
  await using links = await InstalledLinks.create();
  const script = 'trimtab manifests | head -n 1; echo "$' + '{PIPESTATUS[0]}"';
  const { stdout, stderr } = await links.run('bash', ['-c', script], {});
  expect(stdout.split('\n').at(-2)).toBe('0');
  expect(stderr).toBe('');
});

test('nothing was changed by all of this', async () => {
  expect((await unmanage('--dry-run')).stdout).toBe(
    'Deployment web opts out; no pod is replaced.\ndeployment "web" unmanaged (server dry run)\n',
  );
});
