import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { contract, type Register } from '../contract.ts';
import { configMap, deployment } from '../objects.ts';
import type { Target } from '../target.ts';

const withKubectl = { needs: 'kubectl' } as const;

/** Runs kubectl, which must succeed; returns its output. */
async function run(
  target: Target,
  args: string[],
  stdin = '',
  env: Record<string, string> = {},
): Promise<string> {
  const { code, stdout, stderr } = await target.kubectl(args, { stdin, env });
  expect(code, stderr).toBe(0);
  return stdout;
}

/** Runs kubectl, which must fail; returns its error output. */
async function complaint(target: Target, args: string[], stdin = ''): Promise<string> {
  const { code, stderr } = await target.kubectl(args, { stdin });
  expect(code).toBe(1);
  return stderr.replaceAll(target.namespace, 'NAMESPACE').trimEnd();
}

const dataOf = async ({ api, core }: Target, name: string) =>
  (await api.get(core(`configmaps/${name}`))).body['data'];
const make = ({ api, core }: Target, name: string, data: object = { colour: 'blue' }) =>
  api.post(core('configmaps'), configMap(name, { data }));
const yaml = (...objects: object[]) => objects.map((object) => stringify(object)).join('---\n');

contract(
  'kubectl writes',
  (register) => {
    const it: Register = (name, body) => register(name, body, withKubectl);

    it('create configmap from literals', async (target) => {
      const said = await run(target, [
        'create',
        'configmap',
        'literals',
        '--from-literal=a=1',
        '--from-literal=b=2',
      ]);
      expect(said).toBe('configmap/literals created\n');
      expect(await dataOf(target, 'literals')).toEqual({ a: '1', b: '2' });
    });

    it('create of a taken name', async (target) => {
      await make(target, 'taken');
      expect(await complaint(target, ['create', 'configmap', 'taken'])).toBe(
        'error: failed to create configmap: configmaps "taken" already exists',
      );
    });

    it('create secret generic', async (target) => {
      expect(await run(target, ['create', 'secret', 'generic', 'sesame', '--from-literal=open=x'])).toBe(
        'secret/sesame created\n',
      );
    });

    it('create deployment', async (target) => {
      const args = ['create', 'deployment', 'made', '--image=app:1', '--replicas=0'];
      expect(await run(target, args)).toBe('deployment.apps/made created\n');
    });

    it('create serviceaccount, and a token of it', async (target) => {
      await run(target, ['create', 'serviceaccount', 'robot']);
      expect(
        await run(target, ['create', 'token', 'robot', '--audience=trimtab.dev', '--duration=1h']),
      ).toMatch(/^ey[^.]+\.[^.]+\.[^.]+$/);
    });

    it('create role and rolebinding', async (target) => {
      const said = [
        await run(target, [
          'create',
          'role',
          'reader',
          '--verb=get,list',
          '--resource=configmaps,deployments.apps',
        ]),
        await run(target, ['create', 'rolebinding', 'reader', '--role=reader', '--user=jane']),
      ];
      expect(said.join('')).toBe(
        'role.rbac.authorization.k8s.io/reader created\nrolebinding.rbac.authorization.k8s.io/reader created\n',
      );
    });

    it('create --dry-run=server', async (target) => {
      const said = await run(target, ['create', 'configmap', 'dry', '--dry-run=server']);
      expect(said).toBe('configmap/dry created (server dry run)\n');
      expect((await target.api.get(target.core('configmaps/dry'))).code).toBe(404);
    });

    it('create from a file with several objects', async (target) => {
      const said = await run(target, ['create', '-f', '-'], yaml(configMap('many-1'), deployment('many-2')));
      expect(said).toBe('configmap/many-1 created\ndeployment.apps/many-2 created\n');
    });

    it('create with a field that is none', async (target) => {
      const said = await complaint(target, ['create', '-f', '-'], yaml(configMap('strict', { dat: {} })));
      expect(said).toBe(
        'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat"',
      );
    });

    it('apply creates, changes and leaves alone', async (target) => {
      const apply = (data: object) => run(target, ['apply', '-f', '-'], yaml(configMap('applied', { data })));
      expect(await apply({ a: '1', b: '2' })).toBe('configmap/applied created\n');
      expect(await apply({ a: '1', b: '2' })).toBe('configmap/applied unchanged\n');
      expect(await apply({ a: '9' })).toBe('configmap/applied configured\n');
      expect(await dataOf(target, 'applied')).toEqual({ a: '9' });
    });

    it('apply merges what others have changed', async (target) => {
      const apply = (more: object) => run(target, ['apply', '-f', '-'], yaml(deployment('merged', more)));
      await apply({ minReadySeconds: 1 });
      await target.api.patch(target.apps('deployments/merged'), 'merge', { spec: { paused: true } });
      await apply({ minReadySeconds: 2 });
      const { body } = await target.api.get(target.apps('deployments/merged'));
      expect(body['spec']).toMatchObject({ minReadySeconds: 2, paused: true });
    });

    it('apply refuses what is wrong before it is sent', async (target) => {
      const object = deployment('typo', { replica: 3 });
      expect(await complaint(target, ['apply', '-f', '-'], yaml(object))).toBe(
        'Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replica"',
      );
    });

    it('apply of an immutable ConfigMap', async (target) => {
      const apply = (data: object) => yaml(configMap('immutable', { immutable: true, data }));
      await run(target, ['apply', '-f', '-'], apply({ a: '1' }));
      expect(await complaint(target, ['apply', '-f', '-'], apply({ a: '2' }))).toMatch(
        /^The ConfigMap "immutable" is invalid: data: Forbidden: field is immutable when `immutable` is set$/,
      );
    });

    it('diff shows what apply would change', async (target) => {
      await run(target, ['apply', '-f', '-'], yaml(configMap('diffed', { data: { a: '1' } })));
      const { code, stdout } = await target.kubectl(['diff', '-f', '-'], {
        stdin: yaml(configMap('diffed', { data: { a: '2' } })),
      });
      expect(code).toBe(1);
      expect(stdout).toMatch(/\n- {2}a: "1"\n\+ {2}a: "2"\n/);
    });

    it('edit with an editor that changes a value', async (target) => {
      await make(target, 'edited');
      const said = await run(target, ['edit', 'configmap', 'edited'], '', {
        KUBE_EDITOR: 'sed -i -e s/blue/green/',
      });
      expect(said).toBe('configmap/edited edited\n');
      expect(await dataOf(target, 'edited')).toEqual({ colour: 'green' });
    });

    it('edit with an editor that changes nothing', async (target) => {
      await make(target, 'unedited');
      const { stderr } = await target.kubectl(['edit', 'configmap', 'unedited'], {
        env: { KUBE_EDITOR: 'true' },
      });
      expect(stderr).toBe('Edit cancelled, no changes made.\n');
    });

    it('edit with an editor that makes it invalid tells why', async (target) => {
      // kubectl keeps a copy of changes that it could not save in the folder for temporary files.
      const folder = await mkdtemp(join(tmpdir(), 'trimtab-edit-'));
      target.onClose(() => rm(folder, { recursive: true }));
      await make(target, 'misedited');
      const { code, stderr } = await target.kubectl(['edit', 'configmap', 'misedited'], {
        env: { KUBE_EDITOR: 'sed -i -e s/colour/co-_lo!ur/', TMPDIR: folder },
      });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: configmaps "misedited" is invalid\n/);
      expect(await dataOf(target, 'misedited')).toEqual({ colour: 'blue' });
    });

    const patches: [type: string, patch: string][] = [
      ['strategic', '{"data":{"colour":"red"}}'],
      ['merge', '{"data":{"colour":"red"}}'],
      ['json', '[{"op":"replace","path":"/data/colour","value":"red"}]'],
    ];
    for (const [type, patch] of patches)
      it(`patch --type=${type}`, async (target) => {
        await make(target, `patch-${type}`);
        const args = ['patch', 'configmap', `patch-${type}`, `--type=${type}`, '-p', patch];
        expect(await run(target, args)).toBe(`configmap/patch-${type} patched\n`);
        expect(await run(target, args)).toBe(`configmap/patch-${type} patched (no change)\n`);
        expect(await dataOf(target, `patch-${type}`)).toEqual({ colour: 'red' });
      });

    it('patch --subresource=status', async (target) => {
      await target.api.post(target.apps('deployments'), deployment('sub', { paused: true }));
      const args = [
        'patch',
        'deployment',
        'sub',
        '--subresource=status',
        '--type=merge',
        '-p',
        '{"status":{"observedGeneration":99}}',
      ];
      expect(await run(target, args)).toMatch(/^deployment\.apps\/sub patched/);
    });

    it('replace, and replace of what is not there', async (target) => {
      await make(target, 'replaced');
      expect(
        await run(target, ['replace', '-f', '-'], yaml(configMap('replaced', { data: { new: 'one' } }))),
      ).toBe('configmap/replaced replaced\n');
      expect(await dataOf(target, 'replaced')).toEqual({ new: 'one' });
      expect(await complaint(target, ['replace', '-f', '-'], yaml(configMap('nobody')))).toBe(
        'Error from server (NotFound): error when replacing "STDIN": configmaps "nobody" not found',
      );
    });

    it('label, and label again', async (target) => {
      await make(target, 'labelled');
      const label = (...args: string[]) => ['label', 'configmap', 'labelled', ...args];
      expect(await run(target, label('a=b'))).toBe('configmap/labelled labeled\n');
      expect(await complaint(target, label('a=c'))).toBe(
        "error: 'a' already has a value (b), and --overwrite is false",
      );
      expect(await run(target, label('a=c', '--overwrite'))).toBe('configmap/labelled labeled\n');
      expect(await run(target, label('a-'))).toBe('configmap/labelled unlabeled\n');
    });

    it('annotate, and take it away', async (target) => {
      await make(target, 'annotated');
      expect(await run(target, ['annotate', 'configmap', 'annotated', 'a=b'])).toBe(
        'configmap/annotated annotated\n',
      );
      expect(await run(target, ['annotate', 'configmap', 'annotated', 'a-'])).toBe(
        'configmap/annotated annotated\n',
      );
    });

    it('scale', async (target) => {
      await target.api.post(target.apps('deployments'), deployment('scaled', { paused: true }));
      expect(
        await run(target, ['scale', 'deployment', 'scaled', '--replicas=1', '--current-replicas=0']),
      ).toBe('deployment.apps/scaled scaled\n');
      expect(
        await complaint(target, ['scale', 'deployment', 'scaled', '--replicas=2', '--current-replicas=5']),
      ).toBe('error: Expected replicas to be 5, was 1');
      await run(target, ['scale', 'deployment', 'scaled', '--replicas=0']);
    });

    it('set image and set env', async (target) => {
      await target.api.post(target.apps('deployments'), deployment('set'));
      expect(await run(target, ['set', 'image', 'deployment/set', 'app=app:2'])).toBe(
        'deployment.apps/set image updated\n',
      );
      expect(await run(target, ['set', 'env', 'deployment/set', 'A=1'])).toBe(
        'deployment.apps/set env updated\n',
      );
    });

    it('delete, and delete of what is not there', async (target) => {
      await make(target, 'deleted');
      expect((await run(target, ['delete', 'configmap', 'deleted'])).replace(/ from .* namespace/, '')).toBe(
        'configmap "deleted" deleted\n',
      );
      expect(await complaint(target, ['delete', 'configmap', 'deleted'])).toBe(
        'Error from server (NotFound): configmaps "deleted" not found',
      );
      expect(await run(target, ['delete', 'configmap', 'deleted', '--ignore-not-found'])).toBe('');
    });

    for (const cascade of ['background', 'foreground', 'orphan'])
      it(`delete --cascade=${cascade}`, async (target) => {
        const name = `cascade-${cascade}`;
        await make(target, name);
        const args = ['delete', 'configmap', name, `--cascade=${cascade}`, '--wait=false'];
        expect((await run(target, args)).replace(/ from .* namespace/, '')).toBe(
          `configmap "${name}" deleted\n`,
        );
      });

    it('delete by a selector', async (target) => {
      await target.api.post(
        target.core('configmaps'),
        configMap({ name: 'by-label', labels: { gone: 'soon' } }),
      );
      expect(await run(target, ['delete', 'configmaps', '-l', 'gone=soon', '-o', 'name'])).toBe(
        'configmap/by-label\n',
      );
    });
  },
  { atOnce: true },
);
