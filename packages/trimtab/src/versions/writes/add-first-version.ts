import { configResources } from '@trimtab/kube/resource.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import type { ReleaseMode } from '../../core/workload/opt-in.ts';
import { ensureFirstVersion, type FirstVersion } from '../first-version.ts';
import { conflict, invalid, type Refusal } from '../refusal.ts';
import type { WriteContext } from './write-context.ts';

/** Ensures, for a user, that a config has a first version. Throws a Refusal when its content cannot become one. */
export async function addFirstVersion(
  context: WriteContext,
  address: ConfigAddress,
  live: ConfigBody,
  chosenName: string | undefined,
  release?: ReleaseMode,
): Promise<Extract<FirstVersion, { existing: unknown }>> {
  const first = await ensureFirstVersion(context, address, live, {
    createdBy: context.by,
    madeByHand: true,
    state: 'not-current',
    chosenName,
    release,
  });
  if ('problem' in first)
    throw invalid({ kind: address.kind, name: address.name }, [
      { field: 'type', problem: first.problem.message },
    ]);
  if ('result' in first) throw busy(address);
  return first;
}

export function busy({ kind, name }: ConfigAddress): Refusal {
  return conflict(
    `too many concurrent writes of versions of ${configResources[kind].plural} ${JSON.stringify(name)}; no version was added, retry the request`,
    { kind: configResources[kind].plural, name },
  );
}
