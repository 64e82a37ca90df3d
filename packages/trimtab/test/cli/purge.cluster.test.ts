import { deployments, secrets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret } from '@trimtab/test-bed/objects/pod-template.ts';
import { role, roleBinding } from '@trimtab/test-bed/objects/rights.ts';
import { type Secret, secret } from '@trimtab/test-bed/objects/secret.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runTrimtab, type TrimtabResult } from './support/run-trimtab.ts';

const engine = await currentEngine();
let it: ReleaseStory;
let printed = '';

beforeAll(async () => {
  it = await ReleaseStory.start(engine);
});

afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await engine.close();
});

async function purge(...args: string[]): Promise<TrimtabResult> {
  const result = await runTrimtab(engine, ['purge', ...args], { namespace: it.namespace });
  printed += result.stdout + result.stderr;
  return result;
}

async function edited(name: string, values: Record<string, string>): Promise<void> {
  await it.when.edited<Secret>(secrets, name, (live) => {
    live.data = secret(name, values).data ?? {};
  });
}

async function versionsOf(name: string): Promise<Secret[]> {
  const labelSelector = `${labels.config}=${name},${labels.versionOf}`;
  return (await it.client.list<Secret>(secrets, { namespace: it.namespace, labelSelector })).items;
}

const namesOf = async (name: string) =>
  (await versionsOf(name)).map(({ metadata }) => metadata.annotations?.[annotations.version]).sort();

test('a leaked password is purged: rotate it, let go of what uses it, and delete the versions', async () => {
  await it.shortBake(['secret/login'], { bakeSeconds: 0 });
  await it.given.objects(
    secret('login', { password: 'hunter2', user: 'alice' }),
    deployment('web', envFromSecret('login'), managed),
  );
  await settled(it, '1.0.0', ['web'], 'secret-login');
  await edited('login', { password: 'hunter2', user: 'bob' });
  await settled(it, '1.0.1', ['web'], 'secret-login');

  expect(await purge('secret/login', '--value-of', 'password')).toEqual({
    stdout:
      'no version of secret "login" holds a value of key "password" other than that of the current version; to purge that one, first edit secret "login" so that a new value becomes current\n',
    stderr: '',
    code: 0,
  });
  const early = await purge('secret/login', '--value-of', 'password', '--version', '1.0.0');
  expect(early.stdout).toContain(
    `version "1.0.1" of secret "login" still holds the value in key "password": it is current; edit secret "login" so that a new value becomes current, wait with \`trimtab wait secret/login -n ${it.namespace}\`, then run this command again\n`,
  );
  expect(early.stdout).toContain('secret "login" itself still holds the value in key "password": edit it\n');
  expect(early.code).toBe(1);

  await edited('login', { password: 'hunter3', user: 'bob' });
  await settled(it, '1.0.2', ['web'], 'secret-login');
  await it.when.kubectl('rollout', 'status', 'deployment/web');
  const commands = await waitFor('only old ReplicaSets use the value', async () => {
    const { stdout, code } = await purge('secret/login', '--value-of', 'password');
    expect(code).toBe(1);
    const found = [...stdout.matchAll(/only old revisions use it; delete them with `kubectl ([^`]+)`/g)];
    return found.length === 2 ? { met: found.map((each) => each[1] ?? '') } : { seen: stdout };
  });
  expect(await namesOf('login')).toEqual(['1.0.0', '1.0.1', '1.0.2']);
  for (const command of commands) await it.when.kubectl(...command.split(' '));
  await waitFor('no version but the current one is in use', async () => {
    const marked = (await versionsOf('login')).filter(
      ({ metadata }) => metadata.labels?.[labels.inUse] === 'true',
    );
    return marked.length <= 1 ? { met: true as const } : { seen: `${marked.length} are in use` };
  });

  const dry = await purge('secret/login', '--value-of', 'password', '--dry-run');
  const deleted = (suffix: string) =>
    ['1.0.0', '1.0.1'].map((each) => `version "${each}" of secret "login" deleted${suffix}\n`).join('');
  expect(dry).toEqual({ stdout: deleted(' (server dry run)'), stderr: '', code: 0 });
  expect(await namesOf('login')).toEqual(['1.0.0', '1.0.1', '1.0.2']);
  const done = await purge('secret/login', '--value-of', 'password', '--yes');
  expect(done).toEqual({ stdout: deleted(''), stderr: '', code: 0 });
  expect(await namesOf('login')).toEqual(['1.0.2']);
  expect((await purge('secret/login', '--value-of', 'password')).code).toBe(0);
});

test('a version that only old ReplicaSets name is purged on request', async () => {
  await it.shortBake(['secret/session'], { bakeSeconds: 0 });
  await it.given.objects(
    secret('session', { key: 'hunter6' }),
    deployment('app', envFromSecret('session'), managed),
  );
  await settled(it, '1.0.0', ['app'], 'secret-session');
  await edited('session', { key: 'hunter7' });
  await settled(it, '1.0.1', ['app'], 'secret-session');
  await it.when.kubectl('rollout', 'status', 'deployment/app');
  const args = ['secret/session', '--value-of', 'key', '--old-revisions'];
  const deleted = 'version "1.0.0" of secret "session" deleted';
  await waitFor('only old ReplicaSets use the version', async () => {
    const { stdout } = await purge(...args, '--dry-run');
    return stdout === `${deleted} (server dry run)\n` ? { met: true as const } : { seen: stdout };
  });
  expect(await namesOf('session')).toEqual(['1.0.0', '1.0.1']);
  const { stdout, stderr, code } = await purge(...args, '--yes');
  expect({ stdout, code }).toEqual({ stdout: `${deleted}\n`, code: 0 });
  expect(stderr).toMatch(
    /version 1\.0\.0 was named by replicaset\/app-\S+: kubectl rollout undo to one of them starts no pods/,
  );
  expect(await namesOf('session')).toEqual(['1.0.1']);
});

test('a version that remains after the management has ended is purged on request', async () => {
  await it.when.edited<Deployment>(deployments, 'app', ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, [annotations.manage]: 'false' };
  });
  await it.client.delete(configRollouts, { namespace: it.namespace, name: 'secret-session' });
  await it.eventuallyGone(configRollouts, 'secret-session');
  await edited('session', { key: 'hunter8' });
  const args = ['secret/session', '--value-of', 'key'];
  await waitFor('only old ReplicaSets use the version', async () => {
    const { stdout } = await purge(...args);
    const isHeld = stdout.startsWith(
      'version "1.0.1" of secret "session" still holds the value in key "key": only old revisions use it;',
    );
    return isHeld ? { met: true as const } : { seen: stdout };
  });
  const deleted = 'version "1.0.1" of secret "session" deleted\n';
  await waitFor('Kubernetes has removed the ConfigRollout from the owners', async () => {
    const { stdout, stderr } = await purge(...args, '--old-revisions', '--yes');
    return stdout === deleted ? { met: true as const } : { seen: stdout + stderr };
  });
  expect(await namesOf('session')).toEqual([]);
});

test('pods that run a version with the value keep it', async () => {
  await it.shortBake(['secret/token'], { bakeSeconds: 0 });
  await it.given.object(secret('token', { key: 'hunter4' }));
  await it.isCurrent('1.0.0', 'secret-token');
  const [first] = await versionsOf('token');
  const name = first?.metadata.name ?? '';
  const spec = { containers: [{ name: 'app', image: 'busybox', envFrom: [{ secretRef: { name } }] }] };
  await it.given.object({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'old' }, spec } as never);
  await edited('token', { key: 'hunter5' });
  await it.isCurrent('1.0.1', 'secret-token');
  const { stdout, code } = await purge('secret/token', '--value-of', 'key', '--yes');
  expect(stdout).toBe(
    `version "1.0.0" of secret "token" still holds the value in key "key": pod old runs the version: wait until the pod is replaced, or delete it with \`kubectl delete pod old -n ${it.namespace}\`; then run this command again\n`,
  );
  expect(code).toBe(1);
  expect(await namesOf('token')).toEqual(['1.0.0', '1.0.1']);

  await it.given.objects(
    role('dave', ['get', 'list', 'patch', 'delete'], 'secrets', 'configrollouts.trimtab.dev'),
    roleBinding('dave', { user: 'dave' }),
  );
  const kubeconfig = await engine.kubeconfigOf({ user: 'dave' });
  const args = ['purge', 'secret/token', '--value-of', 'key'];
  const blind = await runTrimtab(engine, args, { namespace: it.namespace, kubeconfig });
  printed += blind.stdout + blind.stderr;
  expect(blind.stderr).toContain('this needs the verb "list" on "pods", "deployments.apps"');
  expect(blind.stdout).toContain('still holds the value in key "key": it is in use;');
  expect(blind.code).toBe(1);
  expect(await namesOf('token')).toEqual(['1.0.0', '1.0.1']);
});

test.each([
  [
    ['secret/token', '--value-of', 'nothing'],
    1,
    'error: no version of secret "token" has a value for key "nothing"\n',
  ],
  [['secret/token', '--value-of', 'key', '--version', '9'], 1, 'error: secret "token" has no version "9"\n'],
  [['secret/nowhere', '--value-of', 'key'], 1, 'Error from server (NotFound): secrets "nowhere" not found\n'],
  [
    ['wild', '--value-of', 'key'],
    1,
    'error: configmap "wild" is not managed by Trimtab and has no versions\n',
  ],
  [['secret/token'], 2, 'error: '],
])('purge %j fails', async (args, exitCode, text) => {
  if (args[0] === 'wild') await it.given.object(configMap('wild'));
  const { stdout, stderr, code } = await purge(...args);
  expect(stderr.startsWith(text)).toBe(true);
  expect({ stdout, code }).toEqual({ stdout: '', code: exitCode });
});

test('no value was ever printed', () => {
  expect(printed).not.toMatch(/hunter\d|aHVudGVy/);
});
