import { forbidden } from '../../errors/status-error.ts';
import { type Limit, type LimitRange, limitRange } from '../../kinds/core/limit-range.ts';
import { pod as pods } from '../../kinds/core/pod.ts';
import type { Container, Pod } from '../../kinds/core/pod-types.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import { type AdmissionPlugin, type Attributes, nameInRefusals } from '../admission.ts';
import { limitProblems } from './check-limits.ts';

/** Sets the namespace's default requests and limits on containers, and refuses pods that violate a LimitRange. */
export function limitRanges(storage: ObjectStorage): AdmissionPlugin {
  const limitsFor = ({ operation, kind, subresource, namespace }: Attributes): (readonly Limit[])[] => {
    if (operation !== 'CREATE' || kind !== pods || subresource !== '') return [];
    return (storage.all(limitRange, namespace) as LimitRange[]).map(({ spec }) => spec.limits ?? []);
  };
  return {
    name: 'LimitRanger',
    mutate(attributes) {
      for (const limits of limitsFor(attributes)) fillIn(attributes.object as Pod, limits);
    },
    validate(attributes) {
      for (const limits of limitsFor(attributes)) {
        const problems = limitProblems(limits, (attributes.object as Pod).spec);
        if (problems.length === 0) continue;
        const text = problems.length === 1 ? `${problems[0]}` : `[${problems.join(', ')}]`;
        throw forbidden(attributes.kind, nameInRefusals(attributes), text);
      }
    },
  };
}

function fillIn({ metadata, spec }: Pod, limits: readonly Limit[]): void {
  const ofContainers = limits.filter(({ type }) => type === 'Container');
  const requests = Object.assign({}, ...ofContainers.map((limit) => limit.defaultRequest)) as Amounts;
  const most = Object.assign({}, ...ofContainers.map((limit) => limit.default)) as Amounts;
  const notes = [
    ...(spec.containers ?? []).flatMap((each) => complete(each, 'container', requests, most)),
    ...(spec.initContainers ?? []).flatMap((each) => complete(each, 'init container', requests, most)),
  ];
  if (notes.length === 0) return;
  const note = `LimitRanger plugin set: ${notes.join('; ')}`;
  metadata.annotations = { ...metadata.annotations, 'kubernetes.io/limit-ranger': note };
}

type Amounts = Record<string, string>;

/** Sets the missing requests and limits of the container; returns descriptions of them for the annotation. */
function complete(container: Container, what: string, requests: Amounts, limits: Amounts): string[] {
  const { resources = {} } = container;
  const lacking = (usual: Amounts, given: Amounts = {}) =>
    Object.keys(usual)
      .filter((name) => !Object.hasOwn(given, name))
      .sort();
  const set = { request: lacking(requests, resources.requests), limit: lacking(limits, resources.limits) };
  if (set.request.length > 0) resources.requests = { ...requests, ...resources.requests };
  if (set.limit.length > 0) resources.limits = { ...limits, ...resources.limits };
  container.resources = resources;
  return Object.entries(set).flatMap(([which, names]) =>
    names.length === 0 ? [] : [`${names.join(', ')} ${which} for ${what} ${container.name}`],
  );
}
