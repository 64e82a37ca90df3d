import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { role, roleBinding } from '@trimtab/test-bed/objects/rights.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import {
  controllerIdentity,
  installFor,
  patchOf,
  refusalOf,
  rollout,
  uninstallFor,
  type VersionShape,
  version,
} from './installed-manifests.ts';

/**
 * A namespace with admission policies, the ConfigMaps `foo` and `bar`, the Secret `password`, their rollouts, and
 * users with different permissions.
 */
export interface GuardScene {
  engine: Engine;
  namespace: string;
  admin: KubeClient;
  trimtab: KubeClient;
  /** May edit all configs and ConfigRollouts of the namespace. */
  anna: KubeClient;
  /** May create configs and edit ConfigRollouts, but may update only the ConfigMaps `bar` and `plain`. */
  rita: KubeClient;
  where(name: string): { namespace: string; name: string };
  /** Creates a version as Trimtab; returns its name. */
  given(shape?: VersionShape): Promise<string>;
  /** Returns a version object with a new name, without creating it. */
  fresh(shape?: VersionShape): ReturnType<typeof version>;
  /** Patches the metadata of a ConfigMap. Returns the error message; undefined on success. */
  patched(who: KubeClient, name: string, metadata: object): Promise<string | undefined>;
  close(): Promise<void>;
}

export function withVersion(wanted: string): { type: 'merge'; body: unknown } {
  return { type: 'merge', body: { spec: { version: wanted } } };
}

export async function openGuardScene(): Promise<GuardScene> {
  const engine = await currentEngine();
  const namespace = await engine.namespace();
  await installFor(engine, { namespace });
  const admin = await engine.connect();
  const trimtab = await engine.connect(controllerIdentity);
  const anna = await engine.connect({ user: 'anna' });
  const rita = await engine.connect({ user: 'rita' });
  await givenPeople(admin, namespace);
  const { metadata } = await trimtab.create(configRollouts, rollout('ConfigMap', 'foo', namespace));
  await trimtab.create(configRollouts, rollout('ConfigMap', 'bar', namespace));
  await trimtab.create(configRollouts, rollout('Secret', 'password', namespace));
  const where = (name: string) => ({ namespace, name });
  await waitFor('the rights are known, and the guard of rollouts works', async () => {
    // API servers observe RBAC objects in the order of their writes, so the last permission implies all others.
    const last = await refusalOf(rita.patch(configMaps, where('bar'), patchOf({}), { dryRun: true }));
    const attempt = rita.patch(configRollouts, where('configmap-foo'), withVersion('9'), { dryRun: true });
    const refusal = await refusalOf(attempt);
    return last === undefined && refusal?.includes("user 'rita' cannot change")
      ? { met: true }
      : { seen: `${last ?? 'admitted'}; ${refusal ?? 'admitted'}` };
  });
  let count = 0;
  const fresh = (shape: VersionShape = {}) => {
    count += 1;
    const name = `${shape.config ?? 'foo'}-${count.toString().padStart(10, '0')}`;
    return version(name, namespace, { rolloutUid: metadata.uid ?? '', ...shape });
  };
  return {
    engine,
    namespace,
    admin,
    trimtab,
    anna,
    rita,
    where,
    fresh,
    given: async (shape) => (await trimtab.create(configMaps, fresh(shape))).metadata.name ?? '',
    patched: (who, name, change) => refusalOf(who.patch(configMaps, where(name), patchOf(change))),
    async close() {
      await uninstallFor(engine, { namespace });
      await engine.close();
    },
  };
}

async function givenPeople(admin: KubeClient, namespace: string): Promise<void> {
  const everything = ['get', 'list', 'create', 'update', 'patch', 'delete', 'deletecollection'];
  const onlyBar = role('only-bar', ['update', 'patch'], 'configmaps');
  for (const rule of onlyBar.rules) rule.resourceNames = ['bar', 'plain'];
  await new Given(admin, namespace).objects(
    role('editor', everything, 'configmaps', 'secrets', 'configrollouts.trimtab.dev'),
    roleBinding('editor', { user: 'anna' }),
    role('roller', everything, 'configrollouts.trimtab.dev', 'configrollouts/status.trimtab.dev'),
    roleBinding('roller', { user: 'rita' }),
    role('maker', ['get', 'list', 'create'], 'configmaps', 'secrets'),
    roleBinding('maker', { user: 'rita' }),
    onlyBar,
    roleBinding('only-bar', { user: 'rita' }),
    configMap('foo', { color: 'blue' }),
    configMap('bar', { color: 'blue' }),
    secret('password', { value: 'old' }),
  );
}
