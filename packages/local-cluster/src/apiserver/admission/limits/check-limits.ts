import { type Amounts, amountsOf } from '../../../quotas/amounts.ts';
import { podTotals } from '../../../quotas/pod-totals.ts';
import type { Limit } from '../../kinds/core/limit-range.ts';
import type { PodSpec } from '../../kinds/core/pod-types.ts';
import { quantityUnits } from '../../schema/quantity.ts';
import { compareQuantities } from '../../schema/quantity-sums.ts';

/** Requests and limits of a container or of a whole pod. */
interface Asked {
  requests: Amounts;
  limits: Amounts;
}

/** Returns all violations of the namespace's limits by a pod, without duplicates. */
export function limitProblems(limits: readonly Limit[], spec: PodSpec): string[] {
  const problems = limits.flatMap((limit) =>
    askedFor(limit.type, spec).flatMap((asked) => [
      ...Object.entries(limit.min ?? {}).flatMap(([name, least]) =>
        tooLittle(limit.type, name, least, asked),
      ),
      ...Object.entries(limit.max ?? {}).flatMap(([name, most]) => tooMuch(limit.type, name, most, asked)),
      ...Object.entries(limit.maxLimitRequestRatio ?? {}).flatMap(([name, ratio]) =>
        tooFarApart(limit.type, name, ratio, asked),
      ),
    ]),
  );
  return [...new Set(problems)];
}

function askedFor(type: string, spec: PodSpec): Asked[] {
  if (type === 'Pod') return [{ requests: podTotals(spec, 'requests'), limits: podTotals(spec, 'limits') }];
  if (type !== 'Container') return [];
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => ({
    requests: amountsOf(resources?.requests),
    limits: amountsOf(resources?.limits),
  }));
}

function tooLittle(type: string, name: string, least: string, { requests, limits }: Asked): string[] {
  const request = requests.get(name);
  const limit = limits.get(name);
  const rule = `minimum ${name} usage per ${type} is ${least}`;
  if (request === undefined) return [`${rule}.  No request is specified`];
  if (compareQuantities(request, least) < 0) return [`${rule}, but request is ${request}`];
  return limit !== undefined && compareQuantities(limit, least) < 0 ? [`${rule}, but limit is ${limit}`] : [];
}

function tooMuch(type: string, name: string, most: string, { requests, limits }: Asked): string[] {
  const request = requests.get(name);
  const limit = limits.get(name);
  const rule = `maximum ${name} usage per ${type} is ${most}`;
  if (limit === undefined) return [`${rule}.  No limit is specified`];
  if (compareQuantities(limit, most) > 0) return [`${rule}, but limit is ${limit}`];
  return request !== undefined && compareQuantities(request, most) > 0
    ? [`${rule}, but request is ${request}`]
    : [];
}

function tooFarApart(type: string, name: string, ratio: string, { requests, limits }: Asked): string[] {
  const amount = (of: Amounts) => Number(quantityUnits(of.get(name) ?? '0', 3) ?? 0n);
  const rule = `${name} max limit to request ratio per ${type} is ${ratio}`;
  if (amount(requests) === 0) return [`${rule}, but no request is specified or request is 0`];
  if (amount(limits) === 0) return [`${rule}, but no limit is specified or limit is 0`];
  const found = amount(limits) / amount(requests);
  const allowed = Number(quantityUnits(ratio, 3) ?? 0n) / 1000;
  return found > allowed ? [`${rule}, but provided ratio is ${found.toFixed(6)}`] : [];
}
