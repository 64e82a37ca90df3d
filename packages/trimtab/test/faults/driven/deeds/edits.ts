import { sleep } from '@trimtab/kube/clock.ts';
import { configRollouts } from '../../../../src/api/config-rollout.ts';
import type { ScenarioStep } from '../../support/scenario.ts';
import type { ConfigModel, Data } from '../config-model.ts';
import { type Deed, isRefused, type Story } from '../story.ts';

export const goodEdit: Deed = (story) => {
  const { config } = story;
  const { data, says } = story.edit(config, undefined);
  return { says, steps: [story.step((client, namespace) => config.write(client, namespace, data))] };
};

export const badEdit: Deed = (story) => {
  const { config, dice } = story;
  const users = story.model.usersOf(config);
  if (users.length === 0) return undefined;
  const { data, says } = story.edit(config, dice.pick(users));
  return { says, steps: [story.step((client, namespace) => config.write(client, namespace, data))] };
};

/** The second edit arrives during the activation of the first, which may be bad, too. */
export const editsInARow: Deed = (story) => {
  const { config, dice, clock } = story;
  const users = story.model.usersOf(config);
  const someone = () => (users.length > 0 && dice.chance(0.5) ? dice.pick(users) : undefined);
  const first = { ...story.fresh(), ...fateOf(someone()?.name) };
  const { data: second } = story.edit(config, dice.chance(0.3) ? someone() : undefined);
  const pauseMs = dice.whole(0, 3_000);
  const step = story.step(async (client, namespace) => {
    await config.write(client, namespace, first);
    await sleep(clock, pauseMs);
    await config.write(client, namespace, second);
  });
  const how = config.isRejected ? ', badly at last' : '';
  return { says: `${config.name} is edited twice within ${pauseMs} ms${how}`, steps: [step] };
};

function fateOf(workload: string | undefined): Record<string, string> {
  return workload === undefined ? {} : { [workload]: 'config-error' };
}

export const editBack: Deed = (story) => {
  const { config, dice } = story;
  const others = config.known.filter((data) => JSON.stringify(data) !== JSON.stringify(config.live));
  if (others.length === 0) return undefined;
  const data = dice.pick(others);
  config.becomes(data);
  const steps = [story.step((client, namespace) => config.write(client, namespace, data))];
  return { says: `${config.name} is edited back`, steps };
};

/** `spec.version` names an old version. A config that has none is edited first. */
export const askedFor: Deed = (story) => askFor(story, story.config);

function askFor(story: Story, config: ConfigModel): ReturnType<Deed> {
  const { dice } = story;
  if (config.isRejected) return undefined;
  const isOther = (data: Data) => JSON.stringify(data) !== JSON.stringify(config.current);
  const steps: ScenarioStep[] = [];
  if (!config.known.some(isOther)) {
    const { data } = story.edit(config, undefined);
    steps.push(story.step((client, namespace) => config.write(client, namespace, data)));
  }
  const data = dice.pick(config.known.filter(isOther));
  config.current = data;
  const asking = story.step(async (client, namespace) => {
    const version = await config.versionWith(client, namespace, data);
    const where = { namespace, name: config.rollout };
    await client.patch(configRollouts, where, { type: 'merge', body: { spec: { version } } });
  });
  return { says: `an old version of ${config.name} is asked for`, steps: [...steps, asking] };
}

/**
 * A config is locked while an old version is asked for: it follows that version, and keeps it when it is unlocked. Content
 * that was written just before becomes a version.
 */
export const lockedRequest: Deed = (story) => {
  const { config, dice } = story;
  const asked = askFor(story, config);
  if (asked === undefined) return undefined;
  const pending = dice.chance(0.5) ? story.fresh() : undefined;
  config.live = config.current;
  const release =
    (mode: string): ScenarioStep['does'] =>
    async (client, namespace) => {
      const where = { namespace, name: config.rollout };
      await client.patch(configRollouts, where, { type: 'merge', body: { spec: { release: mode } } });
    };
  const [asking, ...edits] = asked.steps.toReversed();
  if (asking === undefined) return undefined;
  return {
    says: `${asked.says} while it is Locked${pending ? ' after an edit' : ''}`,
    steps: [
      ...edits.toReversed(),
      {
        async does(client, namespace) {
          if (pending !== undefined) await config.write(client, namespace, pending);
          await release('Locked')(client, namespace);
        },
        until: () => true,
      },
      { does: asking.does, until: story.model.expectation() },
      story.step(release('Auto')),
    ],
  };
};

export const pausedEdit: Deed = (story) => {
  const { config } = story;
  const setPaused =
    (paused: boolean): ScenarioStep['does'] =>
    async (client, namespace) => {
      const where = { namespace, name: config.rollout };
      await client.patch(configRollouts, where, { type: 'merge', body: { spec: { paused } } });
    };
  const { data } = story.edit(config, undefined);
  const hash = config.hashOf(data);
  const isMade: ScenarioStep['until'] = ({ configs }) =>
    Object.values(configs[config.rollout]?.versions ?? {}).some((text) => text.endsWith(hash));
  return {
    says: `${config.name} is edited while it is paused`,
    steps: [
      { does: setPaused(true), until: () => true },
      { does: (client, namespace) => config.write(client, namespace, data), until: isMade },
      story.step(setPaused(false)),
    ],
  };
};

/**
 * `kubectl replace` drops the labels of a config, with new content or with what it holds. A version that was asked for
 * stays current while the content stays.
 */
export const replaced: Deed = (story) => {
  const { config, dice } = story;
  const asked = dice.chance(0.5) ? askFor(story, config) : undefined;
  const isEdit = dice.chance(0.6);
  const { data } = isEdit ? story.edit(config, undefined) : { data: config.live };
  const step = story.step((client, namespace) => config.replace(client, namespace, data));
  const replacing = `${config.name} is replaced ${isEdit ? 'by new content' : 'by the same'}`;
  return asked === undefined
    ? { says: replacing, steps: [step] }
    : { says: `${asked.says}, and ${replacing}`, steps: [...asked.steps, step] };
};

/** The same content is written again, without labels, during its activation. */
export const replacedMidway: Deed = (story) => {
  const { config, dice, clock } = story;
  const users = story.model.usersOf(config);
  const { data, says } = story.edit(
    config,
    users.length > 0 && dice.chance(0.3) ? dice.pick(users) : undefined,
  );
  const pauseMs = dice.whole(0, 15_000);
  const step = story.step(async (client, namespace) => {
    await config.write(client, namespace, data);
    await sleep(clock, pauseMs);
    await config.replace(client, namespace, data);
  });
  return { says: `${says}, and replaced by the same after ${pauseMs} ms`, steps: [step] };
};

/** A config is deleted, at rest or during an activation, and created again. */
export const deletedAndCreated: Deed = (story) => {
  const { config, dice, clock } = story;
  const before = dice.chance(0.5) ? story.fresh() : undefined;
  const { data } = story.edit(config, undefined);
  const [startMs, goneMs] = [dice.whole(0, 15_000), dice.whole(0, 30_000)];
  const step = story.step(async (client, namespace) => {
    if (before !== undefined) {
      await config.write(client, namespace, before);
      await sleep(clock, startMs);
    }
    await config.delete(client, namespace);
    await sleep(clock, goneMs);
    await config.create(client, namespace, data);
  });
  const when = before === undefined ? '' : ` ${startMs} ms after an edit`;
  return { says: `${config.name} is deleted${when} and created again ${goneMs} ms later`, steps: [step] };
};

/**
 * Two configs of one workload are edited together, and one of them is bad. The other one is rejected with it, unless it
 * was observed alone. Its next edit is released, and what was rejected stays rejected.
 */
export const badTogether: Deed = (story) => {
  const [, workload] = story.pair(({ configs }) => configs.length > 1) ?? [];
  if (workload === undefined) return undefined;
  const [bad, innocent] = workload.configs;
  if (bad === undefined || innocent === undefined) return undefined;
  const before = story.fresh();
  const { data: worse, says } = story.edit(bad, workload);
  const refused = isRefused(bad, worse);
  const { data } = story.edit(innocent, undefined);
  return {
    says: `${innocent.name} and ${says}; ${innocent.name} is edited again`,
    steps: [
      {
        does: async (client, namespace) => {
          await Promise.all([bad.write(client, namespace, worse), innocent.write(client, namespace, before)]);
        },
        until: (now) => refused(now) && now.configs[innocent.rollout]?.target === undefined,
      },
      story.step((client, namespace) => innocent.write(client, namespace, data)),
    ],
  };
};
