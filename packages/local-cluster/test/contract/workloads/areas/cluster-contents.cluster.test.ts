import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../../api/contract.ts';
import type { Target } from '../../api/target.ts';

const bundle = 'configmaps/kube-root-ca.crt';
const account = 'serviceaccounts/default';
const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';

/** Waits until the object exists with a UID other than `before`, and returns the UID. */
async function there({ api, core }: Target, path: string, before = ''): Promise<string> {
  return waitFor(`${path} exists`, async () => {
    const { code, body } = await api.get(core(path));
    const isNew = code === 200 && body.metadata.uid !== before;
    return isNew ? { met: body.metadata.uid } : { seen: String(code) };
  });
}

const part = (target: Target, name: string, ...resources: string[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: `${target.namespace}-${name}`, labels: { [target.namespace]: 'part' } },
  rules: resources.map(rule),
});

const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });

contract('what every cluster looks after', (it) => {
  it('what pods need in a namespace comes back when somebody deletes it', async (target) => {
    for (const path of [bundle, account]) {
      const before = await there(target, path);
      expect((await target.api.delete(target.core(path))).code).toBe(200);
      await there(target, path, before);
    }
  });

  it('nobody else can be put among those whom pods trust', async (target) => {
    const { api, core } = target;
    await there(target, bundle);
    const { body } = await api.get(core(bundle));
    await api.patch(core(bundle), 'merge', { data: { 'ca.crt': 'mine', more: 'of it' } });
    await waitFor('the original data to be restored', async () => {
      const { body: now } = await api.get(core(bundle));
      const isSame = JSON.stringify(now['data']) === JSON.stringify(body['data']);
      return isSame ? { met: true } : { seen: Object.keys(now['data'] as object).join() };
    });
  });

  it('an aggregated role shows the rules of all that it selects, each once and by their names', async (target) => {
    const { api, namespace } = target;
    const name = `${namespace}-whole`;
    const shows = (...expected: string[]) =>
      waitFor('the aggregated rules', async () => {
        const { body } = await api.get(`${roles}/${name}`);
        const rules = (body['rules'] ?? []) as { resources: string[] }[];
        const found = rules.flatMap(({ resources }) => resources).join();
        return found === expected.join() ? { met: true } : { seen: found };
      });
    await target.createForAll(roles, {
      ...part(target, 'whole'),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [namespace]: 'part' } }] },
    } as { metadata: { name: string } });
    await target.createForAll(roles, part(target, 'z', 'pods', 'nodes'));
    await target.createForAll(roles, part(target, 'a', 'configmaps', 'pods'));
    await shows('configmaps', 'pods', 'nodes');
    await api.delete(`${roles}/${namespace}-a`);
    await shows('pods', 'nodes');
    await api.delete(`${roles}/${namespace}-z`);
    await shows();
  });
});
