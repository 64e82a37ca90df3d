import type { ConfigRollout } from '../../api/config-rollout.ts';
import { describeChange, describeState } from '../../view/describe-change.ts';
import { oneLine } from './table.ts';

/** Turns consecutive states of rollouts into lines, for output that is not a terminal: the state first, then changes. */
export class ChangeLines {
  readonly #last = new Map<string, ConfigRollout>();

  next(rollouts: readonly ConfigRollout[]): string[] {
    return rollouts.flatMap((rollout) => {
      const key = `${rollout.metadata.namespace}/${rollout.metadata.name}`;
      const before = this.#last.get(key);
      this.#last.set(key, rollout);
      const lines = before === undefined ? [describeState(rollout)] : describeChange(before, rollout);
      return lines.map(oneLine);
    });
  }
}
