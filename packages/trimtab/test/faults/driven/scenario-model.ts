import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotated, type Mod } from '@trimtab/test-bed/objects/build.ts';
import { daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromSecret,
  mountingConfigMap,
  mountingSecret,
  type Templated,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { inWave, managed } from '../../support/managed.ts';
import { runningTheApp } from '../../support/simulated-app.ts';
import type { Snapshot } from '../support/snapshot.ts';
import { ConfigModel } from './config-model.ts';
import type { Dice } from './dice.ts';

export interface WorkloadModel {
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  name: string;
  wave: number;
  replicas: number;
  configs: ConfigModel[];
  isManaged: boolean;
  /** A user pinned it once. `kubectl rollout undo` may bring the pin of an old ReplicaSet back. */
  wasPinned?: true;
  /** References that cannot be managed, for example `ConfigMap/overrides`. */
  others: (keyof typeof unmanageable)[];
}

/** References of a template to configs that cannot have versions. They must not hold anything up. */
const unmanageable = {
  /** Optional, and does not exist. */
  'ConfigMap/overrides': optionalEnv('overrides'),
  /** A service account token. */
  'Secret/token': mountingSecret('token', '/etc/token'),
} satisfies Record<string, Mod<Templated>>;

const unmanageableKeys = Object.keys(unmanageable) as (keyof typeof unmanageable)[];

/** Random configs and workloads that use them, with their expected state. */
export class ScenarioModel {
  readonly configs: ConfigModel[];
  /** Time that a pod needs to become Ready. */
  readonly startupMs: number;
  workloads: WorkloadModel[];

  constructor(dice: Dice) {
    const kinds = ['ConfigMap', 'Secret'] as const;
    this.configs = ['foo', 'bar', 'baz']
      .slice(0, dice.whole(1, 3))
      .map((name) => new ConfigModel(dice.pick(kinds), name, { color: 'blue' }));
    const drawn = ['web', 'worker', 'batch']
      .slice(0, dice.pick([1, 1, 2, 2, 3]))
      .map((name): WorkloadModel => {
        const configs = this.configs.filter(() => dice.chance(0.6));
        return {
          kind: dice.pick(['Deployment', 'Deployment', 'StatefulSet', 'DaemonSet'] as const),
          name,
          wave: dice.whole(1, 2),
          replicas: dice.whole(1, 2),
          configs: configs.length === 0 ? [dice.pick(this.configs)] : configs,
          isManaged: true,
          others: unmanageableKeys.filter(() => dice.chance(0.15)),
        };
      });
    // A config without a user would not be managed, so the first workload uses it.
    const [first] = drawn;
    const unused = this.configs.filter((each) => !drawn.some(({ configs }) => configs.includes(each)));
    if (first) first.configs = [...first.configs, ...unused];
    this.workloads = drawn;
    this.startupMs = dice.pick([0, 5_000, 16_000]);
  }

  objects(): KubeObject[] {
    const token = this.workloads.some(({ others }) => others.includes('Secret/token'));
    return [
      ...this.configs.map((each) => each.manifest(each.live)),
      ...(token ? [serviceAccountToken()] : []),
      ...this.workloads.map(manifestOf),
    ];
  }

  /** Managed workloads that use the config. */
  usersOf(config: ConfigModel): WorkloadModel[] {
    return this.workloads.filter(({ isManaged, configs }) => isManaged && configs.includes(config));
  }

  /** Returns a check for the expected state at this moment; later changes of the model do not affect it. */
  expectation(): (now: Snapshot) => boolean {
    const configs = this.configs.map((each) => ({
      rollout: each.rollout,
      phase: each.isRejected ? 'Failed' : 'Current',
      hash: each.hashOf(each.current),
      live: each.hashOf(each.live),
      // A previous rejection has the same phase, so the check also requires a version of the rejected content.
      refused: each.isRejected ? each.hashOf(each.live) : undefined,
    }));
    const workloads = this.workloads.map(({ kind, name, isManaged, configs: used, others }) => ({
      key: `${kind}/${name}`,
      isManaged,
      others: [...others],
      used: used.map((each) => ({ rollout: each.rollout, original: `${each.kind}/${each.name}` })),
    }));
    return (now) =>
      Object.keys(now.workloads).length === workloads.length &&
      configs.every(({ rollout, phase, hash, live, refused }) => {
        const config = now.configs[rollout];
        // Only Locked configs are written by the controller.
        if (config?.live !== live) return false;
        const texts = Object.values(config?.versions ?? {});
        if (refused !== undefined && !texts.some((text) => text.endsWith(refused))) return false;
        const version = config?.versions[config.current ?? ''];
        return config?.phase === phase && config.target === undefined && version?.endsWith(hash) === true;
      }) &&
      workloads.every(({ key, isManaged, used, others }) => {
        const { runs = [], rolledOut = false } = now.workloads[key] ?? {};
        const named = used.map(({ rollout, original }) =>
          isManaged ? `${rollout}@${now.configs[rollout]?.current}` : original,
        );
        const wanted = [...named, ...others];
        return rolledOut && runs.length === wanted.length && wanted.every((each) => runs.includes(each));
      });
  }
}

function serviceAccountToken(): KubeObject {
  return secret('token', {}, (token) => {
    token.type = 'kubernetes.io/service-account-token';
    delete token.data;
    annotated({ 'kubernetes.io/service-account.name': 'default' })(token);
  });
}

function optionalEnv(name: string): Mod<Templated> {
  return ({ spec }) => {
    for (const container of spec.template.spec.containers)
      container.envFrom = [...(container.envFrom ?? []), { configMapRef: { name, optional: true } }];
  };
}

/** The manifest as its author wrote it: it names configs themselves. */
export function manifestOf({
  kind,
  name,
  wave,
  replicas,
  configs,
  others,
}: WorkloadModel): KubeObject & Templated {
  const uses = configs.map((each) =>
    each.kind === 'Secret' ? envFromSecret(each.name) : mountingConfigMap(each.name, `/etc/${each.name}`),
  );
  const rest = others.map((each) => unmanageable[each]);
  const common = [managed, inWave(wave), runningTheApp, ...uses, ...rest] as const;
  if (kind === 'DaemonSet') return daemonSet(name, ...common);
  const make = kind === 'Deployment' ? deployment : statefulSet;
  return make(name, ...common, withReplicas(replicas));
}
