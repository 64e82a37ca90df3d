import type { Clock } from '@trimtab/kube/clock.ts';
import { obedientApp } from '../../support/obedient-app.ts';
import type { Scenario } from '../support/scenario.ts';
import {
  deletedMidway,
  emptiedBadly,
  emptiedMidway,
  optedOutMidway,
  reappliedMidway,
  restartedEdit,
  scaledEdit,
  undoneMidway,
} from './deeds/during-rollouts.ts';
import {
  askedFor,
  badEdit,
  badTogether,
  deletedAndCreated,
  editBack,
  editsInARow,
  goodEdit,
  lockedRequest,
  pausedEdit,
  replaced,
  replacedMidway,
} from './deeds/edits.ts';
import { abortedMidway, pinnedEdit, pinnedMidway } from './deeds/steering.ts';
import {
  crashedBefore,
  optionalAppears,
  optsOut,
  reapplied,
  removeWorkload,
  scale,
  undoneAtRest,
} from './deeds/workloads.ts';
import type { Dice } from './dice.ts';
import { type Deed, Story } from './story.ts';

const deeds: Deed[] = [
  goodEdit,
  goodEdit,
  badEdit,
  badEdit,
  editsInARow,
  editBack,
  askedFor,
  lockedRequest,
  pausedEdit,
  replaced,
  replacedMidway,
  deletedAndCreated,
  badTogether,
  optsOut,
  scale,
  removeWorkload,
  reapplied,
  undoneAtRest,
  crashedBefore,
  optionalAppears,
  scaledEdit,
  restartedEdit,
  reappliedMidway,
  undoneMidway,
  deletedMidway,
  emptiedMidway,
  emptiedBadly,
  optedOutMidway,
  abortedMidway,
  pinnedEdit,
  pinnedMidway,
];

/** Returns a scenario of one to four deeds, the first of them `first` if it is given. Deeds that wait use `clock`. */
export function randomScenario(dice: Dice, clock: Clock, first?: Deed): Scenario {
  const story = new Story(dice, clock);
  const objects = story.model.objects();
  const rollouts = Object.fromEntries(
    story.model.configs.map(({ rollout }) => [rollout, { historyLimit: 20 }]),
  );
  const about = story.model.workloads.map(({ kind, name, configs, others }) => {
    const uses = [...configs.map((each) => each.name), ...others].join(' and ');
    return `${kind} ${name} with ${uses}`;
  });
  const { startupMs } = story.model;
  if (startupMs > 0) about.push(`pods start in ${startupMs} ms`);
  const done = Array.from(
    { length: dice.pick([1, 1, 2, 2, 3, 4]) },
    (_, index) => (index === 0 && first ? first : dice.pick(deeds))(story) ?? goodEdit(story),
  );
  const told = done.flatMap((deed) => deed ?? []);
  return {
    name: [...about, ...told.map(({ says }) => says)].join('; '),
    objects: () => structuredClone(objects),
    rollouts,
    // Long enough for what users do while a version bakes, also when the controller observes it late.
    strategy: { bakeSeconds: 20, progressDeadlineSeconds: 60 },
    app: obedientApp,
    startupMs,
    steps: told.flatMap(({ steps }) => steps),
  };
}
