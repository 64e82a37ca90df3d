import { sleep } from '@trimtab/kube/clock.ts';
import type { ConfigModel } from '../config-model.ts';
import { manifestOf } from '../scenario-model.ts';
import {
  type Deed,
  isBaking,
  isMoved,
  isOver,
  isRefused,
  isReleased,
  isScalable,
  isUndoable,
  resourceOf,
  type Story,
} from '../story.ts';
import { optOut, reapply, restart, scaleTo, undo } from '../user-actions.ts';

/** A workload is scaled and a config edited shortly after: the new pods are still starting. */
export const scaledEdit: Deed = (story) => {
  const { dice, clock } = story;
  const [config, workload] = story.pair(isScalable) ?? [];
  if (config === undefined || workload === undefined) return undefined;
  workload.replicas += dice.whole(1, 2);
  const { name, replicas } = workload;
  const { data, says } = story.edit(config, dice.chance(0.6) ? workload : undefined);
  const pauseMs = dice.whole(0, 3_000);
  const step = story.step(async (client, namespace) => {
    await scaleTo(client, resourceOf(workload), { namespace, name }, replicas);
    await sleep(clock, pauseMs);
    await config.write(client, namespace, data);
  });
  return { says: `${name} is scaled to ${replicas}, and ${pauseMs} ms later ${says}`, steps: [step] };
};

/** `kubectl rollout restart` shortly before or after an edit. */
export const restartedEdit: Deed = (story) => {
  const { dice, clock } = story;
  const [config, workload] = story.pair() ?? [];
  if (config === undefined || workload === undefined) return undefined;
  const { name } = workload;
  const { data, says } = story.edit(config, dice.chance(0.6) ? workload : undefined);
  const isBefore = dice.chance(0.5);
  const pauseMs = dice.whole(0, 3_000);
  const step = story.step(async (client, namespace) => {
    const edit = () => config.write(client, namespace, data);
    const again = () =>
      restart(client, resourceOf(workload), { namespace, name }, new Date(clock.now()).toISOString());
    await (isBefore ? again : edit)();
    await sleep(clock, pauseMs);
    await (isBefore ? edit : again)();
  });
  const order = isBefore
    ? `${pauseMs} ms after a restart of ${name}`
    : `${pauseMs} ms before a restart of ${name}`;
  return { says: `${says}, ${order}`, steps: [step] };
};

/** A manifest is applied again while a version that is good for it bakes. */
export const reappliedMidway: Deed = (story) => {
  const [config, workload] = story.pair() ?? [];
  if (config === undefined || workload === undefined) return undefined;
  const manifest = manifestOf(workload);
  const { name } = workload;
  const { data, says } = story.edit(config, undefined);
  return {
    says: `${says}, and ${name} is applied again midway`,
    steps: [
      {
        does: (client, namespace) => config.write(client, namespace, data),
        until: isMoved(workload, config, data),
      },
      story.step((client, namespace) => reapply(client, resourceOf(workload), { namespace, name }, manifest)),
    ],
  };
};

/** `kubectl rollout undo` of a workload that has moved: a veto. The next edit is released everywhere. */
export const undoneMidway: Deed = (story) => {
  const [config, workload] = story.pair(isUndoable) ?? [];
  if (config === undefined || workload === undefined) return undefined;
  const { name } = workload;
  const data = story.fresh();
  return {
    says: `${config.name} is edited, ${name} is undone midway, and ${config.name} is edited again`,
    steps: [
      {
        does: (client, namespace) => config.write(client, namespace, data),
        until: isBaking(workload, config, data),
      },
      { does: (client, namespace) => undo(client, { namespace, name }), until: isOver(config) },
      editAgain(story, config),
    ],
  };
};

/** A workload is deleted while a version bakes on it. The next edit is released on the others. */
export const deletedMidway: Deed = (story) => {
  const { model } = story;
  const [config, workload] = story.pair() ?? [];
  if (config === undefined || workload === undefined || model.workloads.length < 2) return undefined;
  const { name } = workload;
  const data = story.fresh();
  const isMidway = isBaking(workload, config, data);
  model.workloads = model.workloads.filter((each) => each !== workload);
  return {
    says: `${config.name} is edited, ${name} is deleted midway, and ${config.name} is edited again`,
    steps: [
      { does: (client, namespace) => config.write(client, namespace, data), until: isMidway },
      {
        does: (client, namespace) => client.delete(resourceOf(workload), { namespace, name }),
        until: isOver(config),
      },
      editAgain(story, config),
    ],
  };
};

/** A workload opts out while a version bakes on it: that waits until the version is current. */
export const optedOutMidway: Deed = (story) => {
  const [config, workload] = story.pair(({ configs }) => configs.every(isReleased)) ?? [];
  if (config === undefined || workload === undefined) return undefined;
  const { name } = workload;
  const { data, says } = story.edit(config, undefined);
  const isMidway = isBaking(workload, config, data);
  workload.isManaged = false;
  return {
    says: `${says}, and ${name} opts out midway`,
    steps: [
      { does: (client, namespace) => config.write(client, namespace, data), until: isMidway },
      story.step((client, namespace) => optOut(client, resourceOf(workload), { namespace, name })),
    ],
  };
};

function editAgain(story: Story, config: ConfigModel) {
  const { data } = story.edit(config, undefined);
  return story.step((client, namespace) => config.write(client, namespace, data));
}

/** A workload is scaled to zero while a version bakes on it, and back. */
export const emptiedMidway: Deed = (story) => {
  const [config, workload] = story.pair(isScalable) ?? [];
  if (config === undefined || workload === undefined) return undefined;
  const { name, replicas } = workload;
  const { data, says } = story.edit(config, undefined);
  const scaled =
    (count: number) =>
    (...[client, namespace]: Parameters<ReturnType<Story['step']>['does']>) =>
      scaleTo(client, resourceOf(workload), { namespace, name }, count);
  return {
    says: `${says}, and ${name} is scaled to 0 midway, and back`,
    steps: [
      {
        does: (client, namespace) => config.write(client, namespace, data),
        until: isMoved(workload, config, data),
      },
      { does: scaled(0), until: isOver(config) },
      story.step(scaled(replicas)),
    ],
  };
};

/** A workload is scaled to zero after a bad edit has moved it, and back: the version is judged at last. */
export const emptiedBadly: Deed = (story) => {
  const { dice, clock } = story;
  const [config, workload] = story.pair(isScalable) ?? [];
  if (config === undefined || workload === undefined) return undefined;
  const { name, replicas } = workload;
  const { data, says } = story.edit(config, workload);
  const [moved, refused] = [isMoved(workload, config, data), isRefused(config, data)];
  const [beforeMs, zeroMs] = [dice.whole(0, 3_000), dice.whole(0, 100_000)];
  return {
    says: `${says}; ${name} is scaled to 0 after ${beforeMs} ms, and back after ${zeroMs} ms`,
    steps: [
      {
        does: (client, namespace) => config.write(client, namespace, data),
        until: (now) => moved(now) || refused(now),
      },
      story.step(async (client, namespace) => {
        const scaled = (count: number) => scaleTo(client, resourceOf(workload), { namespace, name }, count);
        await sleep(clock, beforeMs);
        await scaled(0);
        await sleep(clock, zeroMs);
        await scaled(replicas);
      }),
    ],
  };
};
