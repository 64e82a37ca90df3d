import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { InspectedRelease, leaks } from './support/inspected-release.ts';
import { stableText } from './support/stable-text.ts';

const engine = await currentEngine();
let release: InspectedRelease;

beforeAll(async () => {
  release = await InspectedRelease.start(engine);
  await release.story.given.object(configMap('wild', { color: 'blue' }));
});

afterAll(async () => {
  await release?.[Symbol.asyncDispose]();
  await engine.close();
});

/** Runs a command that must succeed, and returns its stable output. */
async function shown(...args: string[]): Promise<string> {
  const { stdout, stderr, code } = await release.trimtab(...args);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return stableText(stdout);
}

test('versions lists the versions with the pods that run them, oldest first', async () => {
  expect(await shown('versions', 'foo')).toBe(`\
VERSION   STATE   PODS   BY   AGE
1.0.0   not-current   0   edit   AGE
1.0.1   current   2   edit   AGE
1.0.2   rejected   0   edit   AGE
`);
});

test('versions shows why a version was rolled back with -o wide', async () => {
  const text = await shown('versions', 'cm/foo', '-o', 'wide');
  expect(text.replace(/pod \S+,/, 'pod POD,')).toBe(`\
VERSION   STATE   PODS   BY   AGE   SEQUENCE   OBJECT   REJECTED
1.0.0   not-current   0   edit   AGE   1   foo-HASH   <none>
1.0.1   current   2   edit   AGE   2   foo-HASH   <none>
1.0.2   rejected   0   edit   AGE   3   foo-HASH   Deployment web: pod POD, container app: Restarted, exit code 3: no such color
`);
});

test('the columns of a table stand below their titles', async () => {
  const { stdout } = await release.trimtab('versions', 'foo');
  const [titles = '', ...rows] = stdout.split('\n');
  for (const row of rows.slice(0, -1)) expect(row.indexOf('edit')).toBe(titles.indexOf('BY'));
});

test('versions prints a VersionList for programs, without hashes of the content', async () => {
  const list = JSON.parse((await release.trimtab('versions', 'foo', '-o', 'json')).stdout);
  expect(list).toMatchObject({ kind: 'VersionList', apiVersion: 'trimtab.dev/v1alpha1' });
  expect(list.items[1]).toMatchObject({ metadata: { name: '1.0.1' }, state: 'current', pods: 2 });
  expect(JSON.stringify(list)).not.toMatch(/contentHash|[0-9a-f]{64}/);
  const { stdout } = await release.trimtab('versions', 'secret/key', '-o', 'yaml');
  expect(parse(stdout).items).toMatchObject([
    { state: 'not-current', pods: 0 },
    { state: 'current', pods: 2 },
  ]);
  expect(stdout).not.toMatch(/contentHash|[0-9a-f]{64}/);
  expect(await shown('versions', 'foo', '-o', 'name')).toBe('configmap/foo-HASH\n'.repeat(3));
  const template = '{range .items[?(@.state=="current")]}{.metadata.name}{"\\n"}{end}';
  expect(await shown('versions', 'foo', '-o', `jsonpath=${template}`)).toBe('1.0.1\n');
});

test('the content of an unmanaged config is shown as its version, with a note', async () => {
  const { stdout, stderr, code } = await release.trimtab('versions', 'wild');
  expect(stableText(stdout)).toBe('VERSION   STATE   PODS   BY   AGE\n1.0.0   current   0   <none>   AGE\n');
  expect(stderr).toBe(
    'configmap "wild" is not managed by Trimtab: its content is shown as its current version.\n',
  );
  expect(code).toBe(0);
});

test('who may not list pods sees the versions, and which right is missing', async () => {
  const { stdout, stderr, code } = await release.asAnna('versions', 'foo');
  expect(stableText(stdout)).toContain('1.0.1   current   <unknown>   edit   AGE\n');
  expect(stderr).toBe(
    `Warning: the number of pods of each version is unknown: this needs the verb "list" on "pods" in namespace ${release.story.namespace}\n`,
  );
  expect(code).toBe(0);
});

test.each([
  ['versions', 1],
  ['history', 1],
  ['uses', 1],
  ['diff', 2],
])('%s of a missing config fails as kubectl does', async (command, exitCode) => {
  const { stdout, stderr, code } = await release.trimtab(command, 'nowhere');
  expect({ stdout, stderr, code }).toEqual({
    stdout: '',
    stderr: 'Error from server (NotFound): configmaps "nowhere" not found\n',
    code: exitCode,
  });
});

test('diff compares the current version with the newest one', async () => {
  expect(await release.trimtab('diff', 'foo')).toEqual({
    stdout: `\
--- foo/1.0.1/data/color
+++ foo/1.0.2/data/color
@@ -1,1 +1,1 @@
-green
+broken
`,
    stderr: '',
    code: 1,
  });
});

test.each([
  [['1.0.0'], '--- foo/1.0.1/data/color\n+++ foo/1.0.0/data/color\n'],
  [['1.0.0', 'current'], '--- foo/1.0.0/data/color\n+++ foo/1.0.1/data/color\n'],
  [['live'], '--- foo/1.0.1/data/color\n+++ foo/live/data/color\n'],
])('diff foo %j names both sides', async (versions, head) => {
  const { stdout, code } = await release.trimtab('diff', 'foo', ...versions);
  expect(stdout.startsWith(head)).toBe(true);
  expect(code).toBe(1);
});

test.each([
  ['foo', ['1.0.1']],
  ['foo', ['1.0.2', 'live']],
  ['secret/key', []],
  ['wild', []],
  ['wild', ['1.0.0', 'live']],
])('diff %s %j finds no difference', async (config, versions) => {
  const { stdout, stderr, code } = await release.trimtab('diff', config, ...versions);
  expect({ stdout, stderr, code }).toEqual({ stdout: '', stderr: '', code: 0 });
});

test('diff masks the values of a Secret unless it is told to show them', async () => {
  const plain = await release.trimtab('diff', 'secret/key', '1.0.0', '1.0.1');
  expect(plain).toEqual({
    stdout: 'Values key/1.0.0/data/password and key/1.0.1/data/password differ\n',
    stderr: '',
    code: 1,
  });
  const json = await release.trimtab('diff', 'secret/key', '1.0.0', '1.0.1', '-o', 'json');
  expect(JSON.parse(json.stdout)).toEqual({
    apiVersion: 'trimtab.dev/v1alpha1',
    kind: 'VersionDiff',
    config: { kind: 'Secret', name: 'key' },
    from: '1.0.0',
    to: '1.0.1',
    masked: true,
    added: [],
    removed: [],
    changed: [{ field: 'data', key: 'password' }],
  });
  const open = await release.trimtab('diff', 'secret/key', '1.0.0', '1.0.1', '--show-secrets');
  expect(open.stdout).toContain('-hunter2\n');
  expect(open.stdout).toContain('+hunter3\n');
});

test.each([
  [['foo', '2.0.0'], 'Error from server (NotFound): configmaps "foo" has no version "2.0.0"\n'],
  [['wild', '1.0.1'], 'Error from server (NotFound): configmaps "wild" has no version "1.0.1"\n'],
  [
    ['foo', '-o', 'wide'],
    'error: unable to match a printer suitable for the output format "wide", allowed formats are: json,jsonpath=,yaml\n',
  ],
])('diff %j fails with exit code 2', async (args, stderr) => {
  expect(await release.trimtab('diff', ...args)).toEqual({ stdout: '', stderr, code: 2 });
});

test('history lists the activations, newest first', async () => {
  const text = await shown('history', 'foo');
  const by = '(?:trimtab|\\S+) \\(field manager\\)';
  expect(text.replace(new RegExp(by, 'g'), 'BY').replace(/pod \S+,/, 'pod POD,')).toBe(`\
VERSION   RESULT   STARTED   DURATION   BY   REASON
1.0.2   RolledBack   TIME   AGE   BY   Deployment web: pod POD, container app: Restarted, exit code 3: no such color
1.0.1   Current   TIME   AGE   BY   the config was edited
`);
});

test('history prints an ActivationList for programs', async () => {
  const list = JSON.parse((await release.trimtab('history', 'foo', '-o', 'json')).stdout);
  expect(list).toMatchObject({
    kind: 'ActivationList',
    items: [
      { version: '1.0.2', result: 'RolledBack' },
      { version: '1.0.1', result: 'Current' },
    ],
  });
  expect(await release.trimtab('history', 'wild')).toEqual({
    stdout: '',
    stderr: 'configmap "wild" is not managed by Trimtab and has no activations.\n',
    code: 0,
  });
});

test('uses lists who uses a config, through what, and whether it is managed', async () => {
  expect(await shown('uses', 'foo')).toBe(`\
NAME   THROUGH   MODE   MANAGED   VERSION   PODS   WHY
deployment/plain   volume /etc/foo   recycle   no   live   0   no opt-in; set annotation trimtab.dev/manage: "true" on it
deployment/web   volume /etc/foo   recycle   yes   1.0.1   2   annotation trimtab.dev/manage
pod/debug   volume, not mounted   none   no   live   1   Trimtab never updates a Pod; it reads the live config
`);
  expect(await shown('uses', 'secret/key', '-o', 'name')).toBe('deployment/web\n');
});

test('uses lists the configs of a workload, also those that do not exist', async () => {
  expect(await shown('uses', 'deployment/web')).toBe(`\
NAME   THROUGH   MODE   MANAGED   VERSION   CURRENT   PODS   WHY
configmap/foo   volume /etc/foo   recycle   yes   1.0.1   1.0.1   2   annotation trimtab.dev/manage
secret/key   envFrom   recycle   yes   1.0.1   1.0.1   2   annotation trimtab.dev/manage
`);
  expect(await shown('uses', 'sts/db', '-o', 'wide')).toBe(`\
NAME   THROUGH   MODE   MANAGED   VERSION   CURRENT   PODS   WHY   CONTAINERS   OPTIONAL
secret/gone   volume /etc/gone   recycle   no   <none>   <none>   0   no opt-in; set annotation trimtab.dev/manage: "true" on it   app   no
configmap/later   envFrom   recycle   no   <none>   <none>   0   no opt-in; set annotation trimtab.dev/manage: "true" on it   app   yes
secret/gone: the config does not exist; pods do not start without it
configmap/later: the config does not exist; pods start without it, because the reference is optional
`);
});

test('uses says who uses a config that does not exist, and that nobody uses one that does', async () => {
  expect(await shown('uses', 'later')).toContain('statefulset/db   envFrom   recycle   no   <none>   0');
  expect(await release.trimtab('uses', 'wild')).toEqual({
    stdout: '',
    stderr: `No workload, Job or pod in ${release.story.namespace} namespace uses configmap "wild".\n`,
    code: 0,
  });
});

test('uses of a missing workload fails as kubectl does', async () => {
  const { stderr, code } = await release.trimtab('uses', 'deployment/nowhere');
  expect(stderr).toBe('Error from server (NotFound): deployments.apps "nowhere" not found\n');
  expect(code).toBe(1);
});

test('uses goes on without the right to list pods', async () => {
  const { stdout, stderr, code } = await release.asAnna('uses', 'deployment/web');
  expect(stableText(stdout)).toContain(
    'configmap/foo   volume /etc/foo   recycle   yes   1.0.1   1.0.1   <unknown>',
  );
  expect(stderr).toBe(
    `Warning: the list may be incomplete: this needs the verb "list" on "pods", "replicasets.apps" in namespace ${release.story.namespace}\n`,
  );
  expect(code).toBe(0);
  const ofConfig = await release.asAnna('uses', 'foo');
  expect(stableText(ofConfig.stdout)).toContain(
    'deployment/web   volume /etc/foo   recycle   yes   1.0.1   <unknown>',
  );
  expect(ofConfig.stderr).toContain('"pods"');
});

test('uses names the version of a Secret also to those who may not read Secrets', async () => {
  const { stdout, stderr } = await release.asBob('uses', 'deployment/web');
  expect(stableText(stdout)).toContain('secret/key   envFrom   recycle   yes   1.0.1   1.0.1   2');
  expect(stderr).toContain('"secrets"');
  const { stdout: users } = await release.asBob('uses', 'secret/key');
  expect(stableText(users)).toContain('deployment/web   envFrom   recycle   yes   1.0.1   2');
});

test.each([
  ['versions', 'foo', 1],
  ['history', 'foo', 1],
  ['diff', 'foo', 2],
  ['uses', 'foo', 1],
  ['uses', 'deployment/web', 1],
])('without any rights, %s %s says which one is missing', async (command, object, exitCode) => {
  const { stdout, stderr, code } = await release.asNobody(command, object);
  expect(stdout).toBe('');
  expect(stderr).toMatch(
    /^Error from server \(Forbidden\): .*\nhint: this needs the verb "\w+" on "[\w.]+" in/,
  );
  expect(code).toBe(exitCode);
});

test('no command prints the values of a Secret', async () => {
  for (const command of ['versions', 'history', 'uses', 'diff'])
    for (const output of [[], ['-o', 'json'], ['-o', 'yaml'], ['-o', 'jsonpath={}']]) {
      const { stdout, stderr } = await release.trimtab(command, 'secret/key', ...output);
      expect(`${stdout}${stderr}`).not.toMatch(leaks);
    }
});
