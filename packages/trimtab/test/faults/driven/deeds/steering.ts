import { abortRollout } from '../../support/abort-rollout.ts';
import { type Deed, hasContent, isBaking, isCurrent, isOver, isRefused, resourceOf } from '../story.ts';
import { pin, unpin } from '../user-actions.ts';

/** A release, good or bad, is aborted while it is on its way. The next edit is released everywhere. */
export const abortedMidway: Deed = (story) => {
  const { dice } = story;
  const [config, workload] = story.pair() ?? [];
  if (config === undefined || workload === undefined) return undefined;
  const first = { ...story.fresh(), ...(dice.chance(0.3) && { [workload.name]: 'config-error' }) };
  const [baking, refused] = [isBaking(workload, config, first), isRefused(config, first)];
  const { data } = story.edit(config, undefined);
  return {
    says: `${config.name} is edited, aborted midway, and edited again`,
    steps: [
      {
        does: (client, namespace) => config.write(client, namespace, first),
        until: (now) => baking(now) || refused(now),
      },
      { does: abortRollout(config.rollout), until: isOver(config) },
      story.step((client, namespace) => config.write(client, namespace, data)),
    ],
  };
};

/**
 * A workload is pinned while a config is edited, and unpinned. Others judge the version without it; when there are none,
 * the version is judged when the workload is unpinned.
 */
export const pinnedEdit: Deed = (story) => {
  const { dice, model } = story;
  const [config, workload] = story.pair() ?? [];
  if (config === undefined || workload === undefined) return undefined;
  workload.wasPinned = true;
  const others = model.usersOf(config).filter((each) => each !== workload);
  const [judge] = others.length > 0 ? [dice.pick(others)] : [workload];
  const stays = hasContent(workload, config, config.current);
  const { data, says } = story.edit(config, dice.chance(0.3) ? judge : undefined);
  const isJudged = config.isRejected ? isRefused(config, data) : isCurrent(config, data);
  const where = (namespace: string) => ({ namespace, name: workload.name });
  return {
    says: `${says} while ${workload.name} is pinned`,
    steps: [
      {
        does: (client, namespace) => pin(client, resourceOf(workload), where(namespace), workload.configs),
        until: () => true,
      },
      {
        does: (client, namespace) => config.write(client, namespace, data),
        until: (now) =>
          stays(now) && (others.length > 0 ? isJudged(now) : now.configs[config.rollout]?.phase === 'Parked'),
      },
      story.step((client, namespace) => unpin(client, resourceOf(workload), where(namespace))),
    ],
  };
};

/** A workload is pinned while a version bakes on it. The others decide, or it does when it is unpinned. */
export const pinnedMidway: Deed = (story) => {
  const [config, workload] = story.pair() ?? [];
  if (config === undefined || workload === undefined) return undefined;
  workload.wasPinned = true;
  const { data, says } = story.edit(config, undefined);
  const [baking, over, stays] = [
    isBaking(workload, config, data),
    isOver(config),
    hasContent(workload, config, data),
  ];
  const where = (namespace: string) => ({ namespace, name: workload.name });
  return {
    says: `${says}, and ${workload.name} is pinned midway, and unpinned`,
    steps: [
      { does: (client, namespace) => config.write(client, namespace, data), until: baking },
      {
        does: (client, namespace) => pin(client, resourceOf(workload), where(namespace), workload.configs),
        until: (now) => over(now) && stays(now),
      },
      story.step((client, namespace) => unpin(client, resourceOf(workload), where(namespace))),
    ],
  };
};
