import type { Clock } from '@trimtab/kube/clock.ts';
import { workloadResources } from '@trimtab/kube/resource.ts';
import type { ScenarioStep } from '../support/scenario.ts';
import type { ConfigModel, Data } from './config-model.ts';
import type { Dice } from './dice.ts';
import { ScenarioModel, type WorkloadModel } from './scenario-model.ts';

/** What users do to a config or a workload. Returns undefined when the model has no suitable object. */
export type Deed = (story: Story) => { says: string; steps: ScenarioStep[] } | undefined;

/** A scenario in the making: its model, and the random choices of its deeds. */
export class Story {
  readonly dice: Dice;
  readonly clock: Clock;
  readonly model: ScenarioModel;
  #colors = 0;

  constructor(dice: Dice, clock: Clock) {
    this.dice = dice;
    this.clock = clock;
    this.model = new ScenarioModel(dice);
  }

  fresh(): Data {
    return { color: `shade-${++this.#colors}` };
  }

  get config(): ConfigModel {
    return this.dice.pick(this.model.configs);
  }

  /** A config and a managed workload that uses it. */
  pair(
    isSuitable: (workload: WorkloadModel) => boolean = () => true,
  ): [ConfigModel, WorkloadModel] | undefined {
    const suitable = this.model.workloads.filter((each) => each.isManaged && isSuitable(each));
    if (suitable.length === 0) return undefined;
    const workload = this.dice.pick(suitable);
    return [this.dice.pick(workload.configs), workload];
  }

  /** New content for a config, with which one of the workloads fails, and the model after its release. */
  edit(config: ConfigModel, fails: WorkloadModel | undefined): { data: Data; says: string } {
    if (fails === undefined) {
      const data = this.fresh();
      config.becomes(data);
      return { data, says: `${config.name} is edited` };
    }
    const fate = this.dice.pick(['config-error', 'crash-loop']);
    const data = { ...this.fresh(), [fails.name]: fate };
    config.isRefused(data);
    return { data, says: `${config.name} is edited badly (${fate} of ${fails.name})` };
  }

  /** Performs an action and waits for the state that the model expects after it. */
  step(does: ScenarioStep['does']): ScenarioStep {
    return { does, until: this.model.expectation() };
  }
}

export function isScalable({ kind }: WorkloadModel): boolean {
  return kind !== 'DaemonSet';
}

/** Deployments are undone with their annotations. */
export function isUndoable({ kind, wasPinned }: WorkloadModel): boolean {
  return kind === 'Deployment' && !wasPinned;
}

export function resourceOf({ kind }: WorkloadModel) {
  return workloadResources[kind];
}

/** The config holds what is current. */
export function isReleased({ live, current, isRejected }: ConfigModel): boolean {
  return live === current && !isRejected;
}

/** The workload was moved to the version with this content, and its controller has observed that. */
export function isMoved(workload: WorkloadModel, config: ConfigModel, data: Data): ScenarioStep['until'] {
  const key = `${workload.kind}/${workload.name}`;
  const [rollout, hash] = [config.rollout, config.hashOf(data)];
  return ({ configs, workloads }) => {
    const versions = Object.entries(configs[rollout]?.versions ?? {});
    const version = versions.find(([, text]) => text.endsWith(hash))?.[0];
    const names = (references: readonly string[]) => references.includes(`${rollout}@${version}`);
    const { runs = [], revisions = [] } = workloads[key] ?? {};
    return version !== undefined && names(runs) && revisions.some((each) => names(each.split(' ')));
  };
}

/** The workload was moved, and the status says so: the rest of the bake time is left for what users do. */
export function isBaking(workload: WorkloadModel, config: ConfigModel, data: Data): ScenarioStep['until'] {
  const moved = isMoved(workload, config, data);
  return (now) => moved(now) && now.configs[config.rollout]?.phase === 'BeingCurrent';
}

/** The workload has the version with this content. */
export function hasContent(workload: WorkloadModel, config: ConfigModel, data: Data): ScenarioStep['until'] {
  const key = `${workload.kind}/${workload.name}`;
  const [rollout, hash] = [config.rollout, config.hashOf(data)];
  return ({ configs, workloads }) => {
    const versions = Object.entries(configs[rollout]?.versions ?? {});
    const version = versions.find(([, text]) => text.endsWith(hash))?.[0];
    return version !== undefined && workloads[key]?.runs.includes(`${rollout}@${version}`) === true;
  };
}

/** The version with this content is current, and no activation is in progress. */
export function isCurrent(config: ConfigModel, data: Data): ScenarioStep['until'] {
  const [rollout, hash] = [config.rollout, config.hashOf(data)];
  return ({ configs }) => {
    const { phase, current, target, versions = {} } = configs[rollout] ?? {};
    const isIt = versions[current ?? '']?.endsWith(hash) === true;
    return phase === 'Current' && target === undefined && isIt;
  };
}

/** No activation of the config is in progress, whatever its result. */
export function isOver({ rollout }: ConfigModel): ScenarioStep['until'] {
  return ({ configs }) => configs[rollout]?.target === undefined || configs[rollout].phase === 'Parked';
}

/** The content was rejected. */
export function isRefused(config: ConfigModel, data: Data): ScenarioStep['until'] {
  const [rollout, hash] = [config.rollout, config.hashOf(data)];
  return ({ configs }) => {
    const { phase, target, versions = {} } = configs[rollout] ?? {};
    // An earlier rejection has the same phase, so there must be a version with this content.
    const isMade = Object.values(versions).some((text) => text.endsWith(hash));
    return phase === 'Failed' && target === undefined && isMade;
  };
}
