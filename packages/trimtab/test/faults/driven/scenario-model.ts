import type { KubeObject } from '@trimtab/kube/wire.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
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
}

/** Random configs and workloads that use them, with their expected state. */
export class ScenarioModel {
  readonly configs: ConfigModel[];
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
        };
      });
    // A config without a user would not be managed, so the first workload uses it.
    const [first] = drawn;
    const unused = this.configs.filter((each) => !drawn.some(({ configs }) => configs.includes(each)));
    if (first) first.configs = [...first.configs, ...unused];
    this.workloads = drawn;
  }

  objects(): KubeObject[] {
    return [...this.configs.map(objectOfConfig), ...this.workloads.map(objectOfWorkload)];
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
      // A previous rejection has the same phase, so the check also requires a version of the rejected content.
      refused: each.isRejected ? each.hashOf(each.live) : undefined,
    }));
    const workloads = this.workloads.map(({ kind, name, isManaged, configs: used }) => ({
      key: `${kind}/${name}`,
      isManaged,
      used: used.map((each) => ({ rollout: each.rollout, original: `${each.kind}/${each.name}` })),
    }));
    return (now) =>
      Object.keys(now.workloads).length === workloads.length &&
      configs.every(({ rollout, phase, hash, refused }) => {
        const config = now.configs[rollout];
        const texts = Object.values(config?.versions ?? {});
        if (refused !== undefined && !texts.some((text) => text.endsWith(refused))) return false;
        const version = config?.versions[config.current ?? ''];
        return config?.phase === phase && config.target === undefined && version?.endsWith(hash) === true;
      }) &&
      workloads.every(({ key, isManaged, used }) => {
        const { runs = [], rolledOut = false } = now.workloads[key] ?? {};
        const wanted = used.map(({ rollout, original }) =>
          isManaged ? `${rollout}@${now.configs[rollout]?.current}` : original,
        );
        return rolledOut && runs.length === wanted.length && wanted.every((each) => runs.includes(each));
      });
  }
}

function objectOfConfig({ kind, name, live }: ConfigModel): KubeObject {
  return kind === 'Secret' ? secret(name, live) : configMap(name, live);
}

function objectOfWorkload({ kind, name, wave, replicas, configs }: WorkloadModel): KubeObject {
  const uses = configs.map((each) =>
    each.kind === 'Secret' ? envFromSecret(each.name) : mountingConfigMap(each.name, `/etc/${each.name}`),
  );
  const common = [managed, inWave(wave), runningTheApp, ...uses] as const;
  if (kind === 'DaemonSet') return daemonSet(name, ...common);
  const make = kind === 'Deployment' ? deployment : statefulSet;
  return make(name, ...common, withReplicas(replicas));
}
