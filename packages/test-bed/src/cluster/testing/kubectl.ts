import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { run } from '../process/run.ts';
import { type Wait, waitFor } from '../process/wait-for.ts';
import type { BedState } from '../state/bed-state.ts';

/** The bed that `npm run test:cluster` brought up for this run. */
export function bedUnderTest(): BedState {
  const file = process.env['TRIMTAB_BED'];
  if (!file) throw new Error('TRIMTAB_BED is not set. Run the cluster tests with `npm run test:cluster`.');
  return JSON.parse(readFileSync(file, 'utf8')) as BedState;
}

export type Kubectl = (...words: string[]) => Promise<string>;

/** Runs kubectl on a bed and returns its output without the trailing line break. */
export function kubectlOn(bed: Pick<BedState, 'kubectl' | 'kubeconfig'>, namespace = 'default'): Kubectl {
  return async (...words) => {
    const command = [bed.kubectl, `--kubeconfig=${bed.kubeconfig}`, `--namespace=${namespace}`, ...words];
    return (await run(command)).trimEnd();
  };
}

/** A kubectl with a new namespace that is ready for pods. */
export async function kubectlInFreshNamespace(
  bed: BedState,
): Promise<{ kubectl: Kubectl; namespace: string }> {
  const namespace = `bed-${randomBytes(4).toString('hex')}`;
  const kubectl = kubectlOn(bed, namespace);
  await kubectl('create', 'namespace', namespace);
  await eventually('the default service account', async () => {
    await kubectl('get', 'serviceaccount', 'default');
    return true;
  });
  return { kubectl, namespace };
}

/** Waits for a condition. An error of the probe means 'not yet'. */
export function eventually(what: string, probe: Wait['probe'], seconds = 40): Promise<void> {
  return waitFor({ what, seconds, probe });
}
