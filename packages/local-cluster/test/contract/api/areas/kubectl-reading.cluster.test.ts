import { startKubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { contract, type Register } from '../contract.ts';
import { configMap, deployment, pod, secret, service } from '../objects.ts';
import { once, type Target } from '../target.ts';
import { discovered, groupOf, widget, widgetPath, widgets } from '../widgets.ts';

const withKubectl = { needs: 'kubectl' } as const;

const objects = once(async ({ api, core, apps, namespace }: Target) => {
  const { body: foo } = await api.post(
    core('configmaps'),
    configMap(
      { name: 'foo', labels: { app: 'foo' }, annotations: { note: 'well' } },
      { data: { colour: 'blue', size: '3' } },
    ),
  );
  await api.post(core('configmaps'), configMap({ name: 'goo', labels: { app: 'goo' } }));
  await api.post(core('secrets'), secret('key', { data: { password: 'cGE1NQ==' } }));
  await api.post(core('pods'), pod('waiting'));
  await api.post(core('services'), service('headless', { clusterIP: 'None', ports: [{ port: 80 }] }));
  await api.post(apps('deployments'), deployment('web'));
  await api.post(core('events'), {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'foo.1' },
    involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'foo', namespace, uid: foo.metadata.uid },
    type: 'Warning',
    reason: 'Tested',
    message: 'It was looked at',
    source: { component: 'suite' },
    lastTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
  });
});

/** Runs kubectl, which must succeed; returns its output. */
async function run(target: Target, ...args: string[]): Promise<string> {
  await objects(target);
  const { code, stdout, stderr } = await target.kubectl(args);
  expect(code, stderr).toBe(0);
  return stdout.replaceAll(target.namespace, 'NAMESPACE');
}

/** Lines with single blanks between columns, and ages replaced by AGE. */
const table = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .trimEnd()
        .replaceAll(/ {2,}/g, ' ')
        .replaceAll(/\b\d+(s|m\d*s?)(?= |$)/g, 'AGE'),
    );

contract(
  'kubectl reads',
  (register) => {
    const it: Register = (name, body) => register(name, body, withKubectl);

    it('get one', async (target) => {
      expect(table(await run(target, 'get', 'configmap', 'foo'))).toEqual(['NAME DATA AGE', 'foo 2 AGE']);
    });

    it('get several kinds by label', async (target) => {
      expect(await run(target, 'get', 'configmaps,secrets', '-l', 'app=foo', '-o', 'name')).toBe(
        'configmap/foo\n',
      );
    });

    it('get -o wide', async (target) => {
      expect(table(await run(target, 'get', 'deployment', 'web', '-o', 'wide'))).toEqual([
        'NAME READY UP-TO-DATE AVAILABLE AGE CONTAINERS IMAGES SELECTOR',
        'web 0/0 0 0 AGE app app:1 app=app',
      ]);
    });

    it('get pods -o wide', async (target) => {
      expect(table(await run(target, 'get', 'pods', '-o', 'wide'))).toEqual([
        'NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES',
        'waiting 0/1 Pending 0 AGE <none> <none> <none> <none>',
      ]);
    });

    it('get -o json', async (target) => {
      const object = JSON.parse(await run(target, 'get', 'configmap', 'foo', '-o', 'json'));
      expect(object).toMatchObject({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        data: { colour: 'blue', size: '3' },
        metadata: { name: 'foo', namespace: 'NAMESPACE' },
      });
      expect(object.metadata).not.toHaveProperty('managedFields');
    });

    it('get -o yaml of a list', async (target) => {
      const list = parse(await run(target, 'get', 'configmaps', '-l', 'app in (foo,goo)', '-o', 'yaml'));
      expect(list).toMatchObject({
        apiVersion: 'v1',
        kind: 'List',
        items: [{ kind: 'ConfigMap', metadata: { name: 'foo' } }, { metadata: { name: 'goo' } }],
      });
    });

    it('get -o name', async (target) => {
      expect(await run(target, 'get', 'deployments', '-o', 'name')).toBe('deployment.apps/web\n');
    });

    it('get -o jsonpath', async (target) => {
      expect(await run(target, 'get', 'configmap', 'foo', '-o', 'jsonpath={.data.colour}')).toBe('blue');
    });

    it('get -o go-template', async (target) => {
      expect(
        await run(target, 'get', 'secret', 'key', '-o', 'go-template={{.data.password | base64decode}}'),
      ).toBe('pa55');
    });

    it('get -o custom-columns', async (target) => {
      const said = await run(
        target,
        'get',
        'configmap',
        'foo',
        '-o',
        'custom-columns=WHO:.metadata.name,WHAT:.data.colour',
      );
      expect(table(said)).toEqual(['WHO WHAT', 'foo blue']);
    });

    it('get --show-labels and -L', async (target) => {
      expect(table(await run(target, 'get', 'configmap', 'foo', '--show-labels'))).toEqual([
        'NAME DATA AGE LABELS',
        'foo 2 AGE app=foo',
      ]);
      expect(table(await run(target, 'get', 'configmap', 'foo', '-L', 'app'))).toEqual([
        'NAME DATA AGE APP',
        'foo 2 AGE foo',
      ]);
    });

    it('get --sort-by', async (target) => {
      const said = await run(
        target,
        'get',
        'configmaps',
        '-l',
        'app',
        '--sort-by=.metadata.name',
        '-o',
        'name',
      );
      expect(said).toBe('configmap/foo\nconfigmap/goo\n');
    });

    it('get --field-selector and --chunk-size', async (target) => {
      expect(await run(target, 'get', 'configmaps', '--field-selector=metadata.name=goo', '-o', 'name')).toBe(
        'configmap/goo\n',
      );
      expect(await run(target, 'get', 'configmaps', '-l', 'app', '--chunk-size=1', '-o', 'name')).toBe(
        'configmap/foo\nconfigmap/goo\n',
      );
    });

    it('get by a short name', async (target) => {
      expect(await run(target, 'get', 'cm/foo', 'deploy/web', '-o', 'name')).toBe(
        'configmap/foo\ndeployment.apps/web\n',
      );
    });

    it('get of what is not there', async (target) => {
      const { code, stderr } = await target.kubectl(['get', 'configmap', 'nobody']);
      expect([code, stderr]).toEqual([1, 'Error from server (NotFound): configmaps "nobody" not found\n']);
    });

    it('get of a kind that is not there', async (target) => {
      const { code, stderr } = await target.kubectl(['get', 'nonsense']);
      expect([code, stderr]).toEqual([1, 'error: the server doesn\'t have a resource type "nonsense"\n']);
    });

    it('get of nothing', async (target) => {
      const { stdout, stderr } = await target.kubectl(['get', 'configmaps', '-l', 'no=such']);
      expect([stdout, stderr]).toEqual(['', `No resources found in ${target.namespace} namespace.\n`]);
    });

    it('get --raw', async (target) => {
      expect(JSON.parse(await run(target, 'get', '--raw', '/version'))).toMatchObject({ major: '1' });
    });

    it('get of a custom resource in its columns', async (target) => {
      await widgets(target);
      await discovered(target);
      await target.api.post(widgetPath(target), widget(target, 'one', { size: 7 }));
      expect(table(await run(target, 'get', `widgets.${groupOf(target)}`))).toEqual([
        'NAME SIZE COLOUR AGE',
        'one 7 green AGE',
      ]);
    });

    it('describe configmap', async (target) => {
      const said = await run(target, 'describe', 'configmap', 'foo');
      expect(said).toMatch(
        /^Name: +foo\nNamespace: +NAMESPACE\nLabels: +app=foo\nAnnotations: +note: well\n\nData\n====\ncolour:\n----\nblue\n\nsize:\n----\n3\n/,
      );
      expect(said).toMatch(/Warning +Tested +.* +suite +It was looked at\n$/);
    });

    it('describe secret shows no value', async (target) => {
      const said = await run(target, 'describe', 'secret', 'key');
      expect(said).toMatch(/\nType: +Opaque\n\nData\n====\npassword: +4 bytes\n$/);
    });

    it('describe deployment and pod', async (target) => {
      expect(await run(target, 'describe', 'deployment', 'web')).toMatch(
        /\nReplicas: +0 desired \| 0 updated \| 0 total \| 0 available \| 0 unavailable\nStrategyType: +RollingUpdate\n/,
      );
      expect(await run(target, 'describe', 'pod', 'waiting')).toMatch(/\nStatus: +Pending\n/);
    });

    it('events, and events of one object', async (target) => {
      const said = table(await run(target, 'events', '--for', 'configmap/foo'));
      expect(said[0]).toBe('LAST SEEN TYPE REASON OBJECT MESSAGE');
      expect(said[1]).toMatch(/Warning Tested ConfigMap\/foo It was looked at$/);
      expect(await run(target, 'events', '--types=Warning')).toContain('It was looked at');
    });

    it('wait for a condition, a field and a deletion', async (target) => {
      await objects(target);
      await target.api.patch(target.core('pods/waiting/status'), 'strategic', {
        status: { conditions: [{ type: 'Checked', status: 'True' }] },
      });
      expect(await run(target, 'wait', 'pod/waiting', '--for=condition=Checked', '--timeout=10s')).toBe(
        'pod/waiting condition met\n',
      );
      expect(
        await run(target, 'wait', 'configmap/foo', '--for=jsonpath={.data.colour}=blue', '--timeout=10s'),
      ).toBe('configmap/foo condition met\n');
      const path = target.core('configmaps/short-lived');
      await target.api.post(
        target.core('configmaps'),
        configMap({ name: 'short-lived', finalizers: ['example.com/wait'] }),
      );
      await target.api.delete(path);
      const waiting = run(target, 'wait', 'configmap/short-lived', '--for=delete', '--timeout=20s');
      await target.api.patch(path, 'merge', { metadata: { finalizers: null } });
      await waiting;
    });

    it('wait that runs out of time', async (target) => {
      await objects(target);
      const { code, stderr } = await target.kubectl([
        'wait',
        'configmap/foo',
        '--for=jsonpath={.data.colour}=red',
        '--timeout=1s',
      ]);
      expect([code, stderr]).toEqual([1, 'error: timed out waiting for the condition on configmaps/foo\n']);
    });

    it('auth can-i', async (target) => {
      expect(await run(target, 'auth', 'can-i', 'delete', 'configmaps')).toBe('yes\n');
      const { code, stdout } = await target.kubectl([
        'auth',
        'can-i',
        'delete',
        'configmaps',
        '--as',
        'stranger',
      ]);
      expect([code, stdout]).toEqual([1, 'no\n']);
    });

    it('auth whoami', async (target) => {
      await objects(target);
      const { stdout } = await target.kubectl([
        'auth',
        'whoami',
        '--as',
        'jane',
        '-o',
        'jsonpath={.status.userInfo.username}',
      ]);
      expect(stdout).toBe('jane');
    });

    it('auth can-i --list', async (target) => {
      expect(await run(target, 'auth', 'can-i', '--list')).toMatch(
        /^Resources +Non-Resource URLs +Resource Names +Verbs\n/,
      );
    });

    it('what is forbidden is told', async (target) => {
      const { code, stderr } = await target.kubectl(['get', 'secrets', '--as', 'stranger']);
      expect([code, stderr.replaceAll(target.namespace, 'NAMESPACE')]).toEqual([
        1,
        'Error from server (Forbidden): secrets is forbidden: User "stranger" cannot list resource "secrets" in API group "" in the namespace "NAMESPACE"\n',
      ]);
    });

    it('api-resources and api-versions', async (target) => {
      const said = table(await run(target, 'api-resources', '--api-group=apps'));
      expect(said[0]).toBe('NAME SHORTNAMES APIVERSION NAMESPACED KIND');
      expect(said).toContain('deployments deploy apps/v1 true Deployment');
      expect((await run(target, 'api-versions')).split('\n')).toEqual(
        expect.arrayContaining(['apps/v1', 'coordination.k8s.io/v1', 'v1']),
      );
    });

    it('explain knows the fields', async (target) => {
      const said = await run(target, 'explain', 'deployment.spec.replicas');
      expect(said).toMatch(/^GROUP: +apps\nKIND: +Deployment\nVERSION: +v1\n\nFIELD: replicas <integer>\n/);
    });

    it('get --watch tells changes', async (target) => {
      const { api, core, engine, namespace } = target;
      await api.post(core('configmaps'), configMap('watched', { data: { colour: 'blue' } }));
      const args = ['get', 'configmap', 'watched', '--watch', '-o', 'jsonpath={.data.colour} '];
      const watching = startKubectl(engine, args, { namespace });
      const says = (text: string) =>
        waitFor(`kubectl says '${text}'`, async () =>
          watching.stdout() === text ? { met: true } : { seen: watching.stdout() },
        );
      try {
        await says('blue ');
        await api.patch(core('configmaps/watched'), 'merge', { data: { colour: 'red' } });
        await says('blue red ');
      } finally {
        watching.stop();
        await watching.ended;
      }
    });

    it('rollout history and status', async (target) => {
      await objects(target);
      await target.api.patch(target.apps('deployments/web/status'), 'merge', {
        status: { observedGeneration: 1 },
      });
      expect(await run(target, 'rollout', 'status', 'deployment/web', '--timeout=20s')).toContain(
        'deployment "web" successfully rolled out\n',
      );
    });

    it('version tells client and server', async (target) => {
      expect(await run(target, 'version')).toMatch(
        /^Client Version: v1\.\d+\.\d+\nKustomize Version: .*\nServer Version: v1\.36\.\d+\n$/,
      );
    });
  },
  { atOnce: true },
);
