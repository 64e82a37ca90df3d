import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import { configRollouts } from '../../../src/api/config-rollout.ts';
import { annotations } from '../../../src/api/names.ts';
import { workloadResources } from '../../../src/controller/cache/cluster-cache.ts';
import { obedientApp } from '../../support/obedient-app.ts';
import type { Scenario, ScenarioStep } from '../support/scenario.ts';
import type { ConfigModel, Data } from './config-model.ts';
import type { Dice } from './dice.ts';
import { ScenarioModel, type WorkloadModel } from './scenario-model.ts';

/** A user action on a config or a workload. Returns undefined when the model has no suitable object. */
type Deed = (story: Story) => { says: string; steps: ScenarioStep[] } | undefined;

class Story {
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

  /** Performs an action and waits for the state that the model expects after it. */
  step(does: ScenarioStep['does']): ScenarioStep {
    return { does, until: this.model.expectation() };
  }
}

const goodEdit: Deed = (story) => {
  const { config } = story;
  const data = story.fresh();
  config.becomes(data);
  const steps = [story.step((client, namespace) => config.write(client, namespace, data))];
  return { says: `${config.name} is edited`, steps };
};

const badEdit: Deed = (story) => {
  const { config, dice } = story;
  const users = story.model.usersOf(config);
  if (users.length === 0) return undefined;
  const fate = dice.pick(['config-error', 'crash-loop']);
  const data = { ...story.fresh(), [dice.pick(users).name]: fate };
  Object.assign(config, { live: data, isRejected: true });
  const steps = [story.step((client, namespace) => config.write(client, namespace, data))];
  return { says: `${config.name} is edited badly (${fate})`, steps };
};

/** The second edit arrives during the activation of the first. */
const editsInARow: Deed = (story) => {
  const { config, dice, clock } = story;
  const users = story.model.usersOf(config);
  const first = {
    ...story.fresh(),
    ...(users.length > 0 && dice.chance(0.5) && { [dice.pick(users).name]: 'config-error' }),
  };
  const second = story.fresh();
  const pauseMs = dice.whole(0, 3_000);
  config.becomes(second);
  const step = story.step(async (client, namespace) => {
    await config.write(client, namespace, first);
    await sleep(clock, pauseMs);
    await config.write(client, namespace, second);
  });
  return { says: `${config.name} is edited twice within ${pauseMs} ms`, steps: [step] };
};

const editBack: Deed = (story) => {
  const { config, dice } = story;
  const others = config.known.filter((data) => JSON.stringify(data) !== JSON.stringify(config.live));
  if (others.length === 0) return undefined;
  const data = dice.pick(others);
  config.becomes(data);
  const steps = [story.step((client, namespace) => config.write(client, namespace, data))];
  return { says: `${config.name} is edited back`, steps };
};

const askFor: Deed = (story) => {
  const { config, dice } = story;
  const others = config.known.filter((data) => JSON.stringify(data) !== JSON.stringify(config.current));
  if (others.length === 0 || config.isRejected) return undefined;
  const data = dice.pick(others);
  config.current = data;
  const step = story.step(async (client, namespace) => {
    const version = await config.versionWith(client, namespace, data);
    const where = { namespace, name: config.rollout };
    await client.patch(configRollouts, where, { type: 'merge', body: { spec: { version } } });
  });
  return { says: `an old version of ${config.name} is asked for`, steps: [step] };
};

const pausedEdit: Deed = (story) => {
  const { config } = story;
  const data = story.fresh();
  const setPaused =
    (paused: boolean): ScenarioStep['does'] =>
    async (client, namespace) => {
      const where = { namespace, name: config.rollout };
      await client.patch(configRollouts, where, { type: 'merge', body: { spec: { paused } } });
    };
  const hash = config.hashOf(data);
  const isMade: ScenarioStep['until'] = ({ configs }) =>
    Object.values(configs[config.rollout]?.versions ?? {}).some((text) => text.endsWith(hash));
  config.becomes(data);
  return {
    says: `${config.name} is edited while it is paused`,
    steps: [
      { does: setPaused(true), until: () => true },
      { does: (client, namespace) => config.write(client, namespace, data), until: isMade },
      story.step(setPaused(false)),
    ],
  };
};

const optOut: Deed = (story) => {
  const choices = story.model.workloads.filter(
    ({ isManaged, configs }) =>
      // Opting out waits unless the live content is the current version.
      isManaged && configs.every(({ live, current, isRejected }) => live === current && !isRejected),
  );
  if (choices.length === 0) return undefined;
  const workload = story.dice.pick(choices);
  workload.isManaged = false;
  const body = { metadata: { annotations: { [annotations.manage]: 'false' } } };
  const step = story.step(async (client, namespace) => {
    const where = { namespace, name: workload.name };
    await client.patch(workloadResources[workload.kind], where, { type: 'merge', body });
  });
  return { says: `${workload.name} opts out`, steps: [step] };
};

const scale: Deed = (story) => {
  const choices = story.model.workloads.filter(({ kind }) => kind !== 'DaemonSet');
  if (choices.length === 0) return undefined;
  const workload = story.dice.pick(choices);
  const replicas = story.dice.whole(1, 4);
  const step = story.step(async (client, namespace) => {
    const where = { namespace, name: workload.name };
    await client.patch(workloadResources[workload.kind], where, {
      type: 'merge',
      body: { spec: { replicas } },
    });
  });
  return { says: `${workload.name} is scaled to ${replicas}`, steps: [step] };
};

const removeWorkload: Deed = (story) => {
  const { model, dice } = story;
  if (model.workloads.length < 2) return undefined;
  const workload: WorkloadModel = dice.pick(model.workloads);
  model.workloads = model.workloads.filter((each) => each !== workload);
  const step = story.step((client, namespace) =>
    client.delete(workloadResources[workload.kind], { namespace, name: workload.name }),
  );
  return { says: `${workload.name} is deleted`, steps: [step] };
};

const deeds: Deed[] = [
  goodEdit,
  goodEdit,
  badEdit,
  badEdit,
  editsInARow,
  editBack,
  askFor,
  pausedEdit,
  optOut,
  scale,
  removeWorkload,
];

/** Returns a scenario of one to three actions. Actions that wait use `clock`. */
export function randomScenario(dice: Dice, clock: Clock): Scenario {
  const story = new Story(dice, clock);
  const objects = story.model.objects();
  const rollouts = Object.fromEntries(
    story.model.configs.map(({ rollout }) => [rollout, { historyLimit: 20 }]),
  );
  const about = story.model.workloads.map(
    ({ kind, name, configs }) => `${kind} ${name} with ${configs.map((each) => each.name).join(' and ')}`,
  );
  const done = Array.from(
    { length: dice.pick([1, 1, 2, 2, 3]) },
    () => dice.pick(deeds)(story) ?? goodEdit(story),
  );
  const told = done.flatMap((deed) => deed ?? []);
  return {
    name: [...about, ...told.map(({ says }) => says)].join('; '),
    objects: () => structuredClone(objects),
    rollouts,
    app: obedientApp,
    steps: told.flatMap(({ steps }) => steps),
  };
}
