import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import type { Api } from './http.ts';
import { configMap } from './objects.ts';
import { once, type Target } from './target.ts';

const group = 'rbac.authorization.k8s.io';

export const version = `${group}/v1`;

export const role = (name: string, rules: object[]) => ({
  apiVersion: version,
  kind: 'Role',
  metadata: { name },
  rules,
});

export const binding = (name: string, roleRef: object, ...users: string[]) => ({
  apiVersion: version,
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: { apiGroup: group, ...roleRef },
  subjects: users.map((user) => ({ kind: 'User', apiGroup: group, name: user })),
});

/** Grants permissions in the area's namespace to users such as `reader`, `named` and `editor`, each with a binding. */
export const rights = once(async (target: Target) => {
  const { api } = target;
  const post = async (plural: string, object: object) => {
    const { code, text } = await api.post(target.group(version, plural), object);
    if (code !== 201) throw new Error(text);
  };
  await post(
    'roles',
    role('named', [
      {
        apiGroups: [''],
        resources: ['configmaps'],
        verbs: ['get', 'update', 'patch', 'delete'],
        resourceNames: ['allowed'],
      },
    ]),
  );
  await post(
    'roles',
    role('granter', [
      { apiGroups: [group], resources: ['roles', 'rolebindings'], verbs: ['get', 'create', 'update'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
    ]),
  );
  await post(
    'roles',
    role('reader', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]),
  );
  await post('rolebindings', binding('reader', { kind: 'Role', name: 'reader' }, 'reader'));
  await post('rolebindings', binding('named', { kind: 'Role', name: 'named' }, 'named'));
  await post('rolebindings', binding('granter', { kind: 'Role', name: 'granter' }, 'granter'));
  await post('rolebindings', binding('editor', { kind: 'ClusterRole', name: 'edit' }, 'editor'));
  await post('rolebindings', binding('viewer', { kind: 'ClusterRole', name: 'view' }, 'viewer'));
  await post('rolebindings', binding('dangling', { kind: 'Role', name: 'no-such-role' }, 'dangling'));
  await post('rolebindings', {
    ...binding('grouped', { kind: 'Role', name: 'reader' }),
    subjects: [
      { kind: 'Group', apiGroup: group, name: 'readers' },
      { kind: 'ServiceAccount', name: 'default', namespace: target.namespace },
    ],
  });
  await api.post(target.core('configmaps'), configMap('allowed'));
  await api.post(target.core('configmaps'), configMap('other'));
  // An authorizer may observe roles and bindings with a delay, separately for each kind. When the last binding, to the
  // last role, is in effect, all of them are.
  const robot = await target.as({ serviceAccount: 'default', namespace: target.namespace });
  await waitFor('the bindings are in force', async () => {
    const { code } = await robot.get(target.core('configmaps/allowed'));
    return code === 200 ? { met: true } : { seen: String(code) };
  });
});

export async function as(target: Target, user: string): Promise<Api> {
  await rights(target);
  return target.as({ user });
}
