import { expect } from 'vitest';
import { stringify } from 'yaml';
import { contract, type Register } from '../contract.ts';
import { ownersOf } from '../managers.ts';
import { configMap } from '../objects.ts';
import type { Target } from '../target.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

async function kubectl(target: Target, args: string[], object?: object) {
  const stdin = object === undefined ? '' : stringify(object);
  const file = object === undefined ? [] : ['-f', '-'];
  const { code, stdout, stderr } = await target.kubectl([...args, ...file], { stdin });
  return { code, stdout, stderr };
}

const serverSide = ['apply', '--server-side'];
const ownersIn = async ({ api, core }: Target, name: string) =>
  ownersOf(await api.get(core(`configmaps/${name}`)));

contract(
  'kubectl applies on the server',
  (register) => {
    const it: Register = (name, body) => register(name, body, { needs: 'kubectl' });

    it('apply --server-side, and again', async (target) => {
      const object = configMap('applied', { data: { a: '1' } });
      const said = { code: 0, stdout: 'configmap/applied serverside-applied\n', stderr: '' };
      expect(await kubectl(target, serverSide, object)).toEqual(said);
      expect(await kubectl(target, serverSide, object)).toEqual(said);
      expect(await ownersIn(target, 'applied')).toEqual({ 'Apply kubectl': { 'f:data': { 'f:a': {} } } });
    });

    it('apply --server-side of what another owns, and with --force-conflicts', async (target) => {
      await kubectl(target, serverSide, configMap('fought', { data: { a: '1' } }));
      const other = [...serverSide, '--field-manager=other'];
      const { code, stderr } = await kubectl(target, other, configMap('fought', { data: { a: '2' } }));
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: Apply failed with 1 conflict: conflict with "kubectl": \.data\.a\n/);
      const forced = [...other, '--force-conflicts'];
      expect(await kubectl(target, forced, configMap('fought', { data: { a: '2' } }))).toMatchObject({
        code: 0,
      });
      expect(await ownersIn(target, 'fought')).toEqual({ 'Apply other': { 'f:data': { 'f:a': {} } } });
    });

    it('apply --server-side with a misspelt field', async (target) => {
      expect(await kubectl(target, serverSide, configMap('misspelt', { dta: {} }))).toEqual({
        code: 1,
        stdout: '',
        stderr: `Error from server: failed to create typed patch object (${target.namespace}/misspelt; /v1, Kind=ConfigMap): .dta: field not declared in schema\n`,
      });
    });

    it('apply --server-side --dry-run=server', async (target) => {
      const args = [...serverSide, '--dry-run=server'];
      expect(await kubectl(target, args, configMap('dry', { data: { a: '1' } }))).toEqual({
        code: 0,
        stdout: 'configmap/dry serverside-applied (server dry run)\n',
        stderr: '',
      });
    });

    it('apply on the client, too, says what it owns, and goes on to work', async (target) => {
      await kubectl(target, ['apply'], configMap('client', { data: { a: '1', b: '2' } }));
      expect(await ownersIn(target, 'client')).toEqual({
        'Update kubectl-client-side-apply': {
          'f:data': { '.': {}, 'f:a': {}, 'f:b': {} },
          'f:metadata': { 'f:annotations': { '.': {}, [`f:${annotation}`]: {} } },
        },
      });
      const changed = configMap('client', { data: { a: '3' } });
      expect((await kubectl(target, ['apply'], changed)).stdout).toBe('configmap/client configured\n');
      expect((await kubectl(target, ['apply'], changed)).stdout).toBe('configmap/client unchanged\n');
    });

    it('who goes from the client to the server keeps what is theirs, and the annotation is kept true', async (target) => {
      const { api, core } = target;
      await kubectl(target, ['apply'], configMap('moved', { data: { a: '1', b: '2' } }));
      expect(await kubectl(target, serverSide, configMap('moved', { data: { a: '3' } }))).toMatchObject({
        code: 0,
      });
      const answer = await api.get(core('configmaps/moved'));
      expect(answer.body['data']).toEqual({ a: '3' });
      expect(ownersOf(answer)).toEqual({
        'Apply kubectl': { 'f:data': { 'f:a': {} } },
        'Apply kubectl-last-applied': { 'f:metadata': { 'f:annotations': { [`f:${annotation}`]: {} } } },
      });
      expect(answer.body.metadata.annotations?.[annotation]).toBe(
        `{"apiVersion":"v1","data":{"a":"3"},"kind":"ConfigMap","metadata":{"name":"moved","namespace":"${target.namespace}"}}\n`,
      );
    });

    it('diff --server-side', async (target) => {
      await kubectl(target, serverSide, configMap('compared', { data: { a: '1' } }));
      const args = ['diff', '--server-side'];
      const { code, stdout } = await kubectl(target, args, configMap('compared', { data: { a: '2' } }));
      expect(code).toBe(1);
      expect(stdout).toMatch(/\n- {2}a: "1"\n\+ {2}a: "2"\n/);
    });

    it('get shows owners to who asks for them', async (target) => {
      await kubectl(target, serverSide, configMap('shown', { data: { a: '1' } }));
      const get = ['get', 'configmap', 'shown', '-o', 'yaml'];
      expect((await kubectl(target, get)).stdout).not.toContain('managedFields');
      const { stdout } = await kubectl(target, [...get, '--show-managed-fields']);
      expect(stdout).toContain('    manager: kubectl\n    operation: Apply\n');
    });

    it('label and annotate own what they set', async (target) => {
      await kubectl(target, serverSide, configMap('marked', { data: { a: '1' } }));
      await kubectl(target, ['label', 'configmap', 'marked', 'x=y']);
      await kubectl(target, ['annotate', 'configmap', 'marked', 'x=y']);
      expect(await ownersIn(target, 'marked')).toEqual({
        'Apply kubectl': { 'f:data': { 'f:a': {} } },
        'Update kubectl-annotate': { 'f:metadata': { 'f:annotations': { '.': {}, 'f:x': {} } } },
        'Update kubectl-label': { 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } } },
      });
    });
  },
  { atOnce: true },
);
