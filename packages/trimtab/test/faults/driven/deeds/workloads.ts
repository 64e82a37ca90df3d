import { sleep } from '@trimtab/kube/clock.ts';
import { ConfigModel } from '../config-model.ts';
import { manifestOf } from '../scenario-model.ts';
import { type Deed, isReleased, isScalable, isUndoable, resourceOf } from '../story.ts';
import { crashForAWhile, optOut, reapply, scaleTo, undo } from '../user-actions.ts';

export const optsOut: Deed = (story) => {
  // Opting out waits unless the live content is the current version.
  const [, workload] = story.pair(({ configs }) => configs.every(isReleased)) ?? [];
  if (workload === undefined) return undefined;
  workload.isManaged = false;
  const { name } = workload;
  const step = story.step((client, namespace) => optOut(client, resourceOf(workload), { namespace, name }));
  return { says: `${name} opts out`, steps: [step] };
};

export const scale: Deed = (story) => {
  const choices = story.model.workloads.filter(isScalable);
  if (choices.length === 0) return undefined;
  const workload = story.dice.pick(choices);
  workload.replicas = story.dice.whole(1, 4);
  const { name, replicas } = workload;
  const step = story.step((client, namespace) =>
    scaleTo(client, resourceOf(workload), { namespace, name }, replicas),
  );
  return { says: `${name} is scaled to ${replicas}`, steps: [step] };
};

export const removeWorkload: Deed = (story) => {
  const { model, dice } = story;
  if (model.workloads.length < 2) return undefined;
  const workload = dice.pick(model.workloads);
  model.workloads = model.workloads.filter((each) => each !== workload);
  const step = story.step((client, namespace) =>
    client.delete(resourceOf(workload), { namespace, name: workload.name }),
  );
  return { says: `${workload.name} is deleted`, steps: [step] };
};

/** The manifest of a workload, which names configs themselves, is applied again. */
export const reapplied: Deed = (story) => {
  const [, workload] = story.pair() ?? [];
  if (workload === undefined) return undefined;
  const manifest = manifestOf(workload);
  const where = { name: workload.name };
  const step = story.step((client, namespace) =>
    reapply(client, resourceOf(workload), { namespace, ...where }, manifest),
  );
  return { says: `${workload.name} is applied again`, steps: [step] };
};

/** A workload is undone while nothing moves: it is pinned until the next release, which ends the pin. */
export const undoneAtRest: Deed = (story) => {
  const { dice, clock } = story;
  const [config, { name } = { name: '' }] = story.pair(isUndoable) ?? [];
  if (config === undefined) return undefined;
  const { data } = story.edit(config, undefined);
  const pauseMs = dice.whole(0, 30_000);
  const step = story.step(async (client, namespace) => {
    await undo(client, { namespace, name });
    await sleep(clock, pauseMs);
    await config.write(client, namespace, data);
  });
  return { says: `${name} is undone, and after ${pauseMs} ms ${config.name} is edited`, steps: [step] };
};

/** Pods that were restarted in their past are healthy: they do not excuse a version that crashes. */
export const crashedBefore: Deed = (story) => {
  const { dice, clock } = story;
  const [config, workload] = story.pair() ?? [];
  if (config === undefined || workload === undefined) return undefined;
  const { data, says } = story.edit(config, dice.chance(0.7) ? workload : undefined);
  const { name } = workload;
  const step = story.step(async (client, namespace) => {
    await crashForAWhile(client, clock, { namespace, name });
    await sleep(clock, 2_000);
    await config.write(client, namespace, data);
  });
  return { says: `pods of ${name} crash and recover; ${says}`, steps: [step] };
};

/** The config of an optional reference is created: it joins those that are managed. */
export const optionalAppears: Deed = (story) => {
  const { model } = story;
  const users = model.workloads.filter(
    ({ isManaged, others }) => isManaged && others.includes('ConfigMap/overrides'),
  );
  const isTaken = model.configs.some(({ name }) => name === 'overrides');
  if (users.length === 0 || isTaken) return undefined;
  const config = new ConfigModel('ConfigMap', 'overrides', story.fresh());
  model.configs.push(config);
  for (const user of users) {
    user.others = user.others.filter((each) => each !== 'ConfigMap/overrides');
    user.configs = [...user.configs, config];
  }
  const { live } = config;
  const step = story.step((client, namespace) => config.create(client, namespace, live));
  return { says: 'the optional overrides are created', steps: [step] };
};
