import { union } from './field-set.ts';
import { identityOf, type Managed, type Managers } from './managers.ts';

const maxUpdaters = 10;

/** Limits the number of recorded updaters: the oldest ones of each version are merged into one entry. */
export function capManagers(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= maxUpdaters) return managers;
  updaters.sort(([idA, a], [idB, b]) => seconds(a) - seconds(b) || (idA < idB ? -1 : 1));
  const left = new Map(managers);
  const firstOf = new Map<string, string>();
  let count = updaters.length;
  for (const [identity, managed] of updaters) {
    if (count <= maxUpdaters) break;
    const { apiVersion, time } = managed;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, identity);
      continue;
    }
    const ancient = { manager: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' } as const;
    const bucket = identityOf(ancient);
    const before = left.get(bucket) ?? left.get(first);
    if (!left.has(bucket)) left.delete(first);
    left.delete(identity);
    const fields = before === undefined ? managed.fields : union(before.fields, managed.fields);
    left.set(bucket, { ...ancient, time, fields });
    count -= 1;
  }
  return left;
}

function seconds({ time }: Managed): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}
