import { configResources } from '@trimtab/kube/resource.ts';
import { longestName, quoted } from '../core/messages/quoted.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { versionNameProblem } from '../core/version/version-name.ts';
import { notFound, type Refusal, type Remedy } from './refusal.ts';

export function noConfig({ kind, name }: ConfigAddress, remedy?: Remedy): Refusal {
  const { plural } = configResources[kind];
  return notFound(`${plural} ${JSON.stringify(name)} not found`, { kind: plural, name }, remedy);
}

export function noVersion({ kind, name }: ConfigAddress, version: string): Refusal {
  const { plural } = configResources[kind];
  const problem = versionNameProblem(version);
  const why = problem === undefined ? '' : `: the name ${problem}`;
  return notFound(`${plural} ${JSON.stringify(name)} has no version ${quoted(version, longestName)}${why}`, {
    kind: plural,
    name,
  });
}
