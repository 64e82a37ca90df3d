import { Readable } from 'node:stream';
import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { role, roleBinding } from '@trimtab/test-bed/objects/rights.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labels } from '../../src/api/names.ts';
import { run as runDeleteVersion } from '../../src/cli/commands/delete/version.ts';
import { run as runDeleteVersions } from '../../src/cli/commands/delete/versions.ts';
import { managed } from '../support/managed.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runTrimtab } from './support/run-trimtab.ts';

const engine = await currentEngine();
let it: ReleaseStory;

beforeAll(async () => {
  it = await ReleaseStory.start(engine);
});

afterAll(async () => {
  await it?.[Symbol.asyncDispose]();
  await engine.close();
});

const trimtab = (...args: string[]) => runTrimtab(engine, args, { namespace: it.namespace });

/** A config that no workload uses, with the versions 1.0.0 to 1.0.3, of which the last one is current. */
async function four(name: string): Promise<void> {
  const rollout = `configmap-${name}`;
  await it.shortBake([name], { bakeSeconds: 0 });
  await it.given.object(configMap(name, { color: '0' }));
  await it.isCurrent('1.0.0', rollout);
  for (const color of ['1', '2', '3']) {
    await it.when.edited(configMaps, name, withData({ color }));
    await it.isCurrent(`1.0.${color}`, rollout);
  }
  await unused(name, ['1.0.0', '1.0.1', '1.0.2']);
}

/** Waits until the controller no longer marks these versions as in use. */
function unused(name: string, versions: readonly string[]): Promise<true> {
  return waitFor(`${versions.join(', ')} are not in use`, async () => {
    const copies = await it.copies(name);
    const marked = versions.filter((each) => copies.get(each)?.metadata.labels?.[labels.inUse] === 'true');
    return marked.length === 0 ? { met: true as const } : { seen: marked.join(', ') };
  });
}

const namesOf = async (name: string) => [...(await it.copies(name)).keys()].sort();

test('a version is deleted by its name, and its name is gone for good', async () => {
  await four('one');
  expect(await trimtab('delete', 'version', 'one', '1.0.1')).toEqual({
    stdout: 'version "1.0.1" of configmap "one" deleted\n',
    stderr: '',
    code: 0,
  });
  expect(await namesOf('one')).toEqual(['1.0.0', '1.0.2', '1.0.3']);
  const again = await trimtab('delete', 'version', 'one', '1.0.1');
  expect(again).toEqual({
    stdout: '',
    stderr: 'Error from server (NotFound): configmaps "one" has no version "1.0.1"\n',
    code: 1,
  });
});

test('what cannot be deleted is told, and the others go', async () => {
  await four('several');
  expect(await trimtab('delete', 'version', 'several', '1.0.0', '1.0.3', '1.0.2', '--yes')).toEqual({
    stdout:
      'version "1.0.0" of configmap "several" deleted\nversion "1.0.2" of configmap "several" deleted\n',
    stderr:
      'Error from server (Conflict): version "1.0.3" of configmaps "several" cannot be deleted: the version is current; activate another version first\n',
    code: 1,
  });
  expect(await namesOf('several')).toEqual(['1.0.1', '1.0.3']);
});

test('a dry run deletes nothing', async () => {
  await four('dry');
  expect(await trimtab('delete', 'version', 'dry', '1.0.0', '--dry-run')).toMatchObject({
    stdout: 'version "1.0.0" of configmap "dry" deleted (server dry run)\n',
    code: 0,
  });
  const all = await trimtab('delete', 'versions', 'dry', '--dry-run=client');
  expect(all.stdout).toContain('version "1.0.2" of configmap "dry" deleted (dry run)\n');
  expect(await namesOf('dry')).toEqual(['1.0.0', '1.0.1', '1.0.2', '1.0.3']);
});

test('all versions but the current one are deleted, and a second run finds nothing to do', async () => {
  await four('all');
  const kept =
    'version "1.0.3" of configmap "all" kept: the version is current; activate another version first\n';
  expect(await trimtab('delete', 'versions', 'all')).toEqual({
    stdout: `${['0', '1', '2'].map((each) => `version "1.0.${each}" of configmap "all" deleted\n`).join('')}${kept}`,
    stderr: '',
    code: 0,
  });
  expect(await namesOf('all')).toEqual(['1.0.3']);
  expect(await trimtab('delete', 'versions', 'all')).toEqual({ stdout: kept, stderr: '', code: 0 });
});

test('versions in use are kept, which is a failure when nothing else could be deleted', async () => {
  await it.shortBake(['used'], { bakeSeconds: 0 });
  const web = deployment('web', mountingConfigMap('used', '/etc/used'), managed);
  await it.given.objects(configMap('used', { color: 'blue' }), web);
  await settled(it, '1.0.0', ['web'], 'configmap-used');
  await it.when.edited(configMaps, 'used', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web'], 'configmap-used');
  const { stdout, code } = await trimtab('delete', 'versions', 'used', '--yes');
  expect(stdout).toBe(
    'version "1.0.0" of configmap "used" kept: the version is in use by pods, ReplicaSets or ControllerRevisions; delete it when the last of them is gone\n' +
      'version "1.0.1" of configmap "used" kept: the version is current; activate another version first\n',
  );
  expect(code).toBe(1);
});

test('on a terminal a person confirms the deletion', async () => {
  await four('asked');
  const answered = async (run: typeof runDeleteVersion, answer: string, ...args: string[]) => {
    const written = { stdout: '', stderr: '' };
    const code = await run([...args, '--namespace', it.namespace], {
      programName: 'trimtab',
      stdout: { write: (text) => (written.stdout += text), isTTY: true },
      stderr: { write: (text) => (written.stderr += text) },
      stdin: Object.assign(Readable.from([`${answer}\n`]), { isTTY: true }),
      env: { KUBECONFIG: engine.kubeconfig },
      onInterrupt: () => () => {},
    });
    return { ...written, code };
  };
  expect(await answered(runDeleteVersions, 'n', 'asked')).toEqual({
    stdout:
      'You are about to delete the following 3 version(s) of configmap "asked":\n1.0.0\n1.0.1\n1.0.2\nDo you want to continue? [y/N] deletion is cancelled\n',
    stderr: '',
    code: 1,
  });
  expect(await answered(runDeleteVersion, 'no', 'asked', '1.0.0')).toMatchObject({ code: 1 });
  expect(await namesOf('asked')).toEqual(['1.0.0', '1.0.1', '1.0.2', '1.0.3']);
  expect(await answered(runDeleteVersion, 'y', 'asked', '1.0.0')).toMatchObject({
    stdout: expect.stringContaining('version "1.0.0" of configmap "asked" deleted\n'),
    code: 0,
  });
  expect(await answered(runDeleteVersions, 'n', 'asked', '--yes')).toMatchObject({ code: 0 });
  expect(await namesOf('asked')).toEqual(['1.0.3']);
});

test('who may not delete ConfigMaps learns which right is missing', async () => {
  await four('guarded');
  const rights = ['get', 'list', 'update', 'patch'];
  await it.given.objects(
    role('carol', rights, 'configmaps', 'configrollouts.trimtab.dev'),
    roleBinding('carol', { user: 'carol' }),
  );
  const kubeconfig = await engine.kubeconfigOf({ user: 'carol' });
  for (const what of [
    ['version', 'guarded', '1.0.0'],
    ['versions', 'guarded'],
  ]) {
    const { stdout, stderr, code } = await runTrimtab(engine, ['delete', ...what], {
      namespace: it.namespace,
      kubeconfig,
    });
    expect(stdout).toBe('');
    expect(stderr).toContain('Error from server (Forbidden)');
    expect(stderr).toContain(
      `hint: this needs the verb "delete" on "configmaps" in namespace ${it.namespace}`,
    );
    expect(code).toBe(1);
  }
});

test.each([
  ['version', ['nowhere', '1.0.0']],
  ['versions', ['nowhere']],
])('delete %s of a missing config fails as kubectl does', async (command, args) => {
  expect(await trimtab('delete', command, ...args)).toEqual({
    stdout: '',
    stderr: 'Error from server (NotFound): configmaps "nowhere" not found\n',
    code: 1,
  });
});
