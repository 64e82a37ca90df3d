import { forbidden, type StatusError } from '../errors/status-error.ts';
import { pod as pods } from '../kinds/core/pod.ts';
import type { Pod } from '../kinds/core/pod-types.ts';
import { type PriorityClass, priorityClass } from '../kinds/scheduling/priority-class.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';
import { type AdmissionPlugin, type Attributes, nameInRefusals } from './admission.ts';

/** Sets the priority of a pod from its PriorityClass, and refuses a second global default class. */
export function priorities(storage: ObjectStorage): AdmissionPlugin {
  const usual = () =>
    (storage.all(priorityClass) as PriorityClass[])
      .filter(({ globalDefault }) => globalDefault)
      .sort((a, b) => a.value - b.value)[0];
  return {
    name: 'Priority',
    mutate(attributes) {
      const { operation, kind, subresource, object, old } = attributes;
      // A deletion has no object.
      if (kind !== pods || subresource !== '' || object === undefined) return;
      const { spec } = object as Pod;
      if (operation === 'UPDATE') keepPriority(spec, (old as Pod).spec);
      if (operation !== 'CREATE') return;
      const name = spec.priorityClassName ?? '';
      const found = name === '' ? usual() : classNamed(storage, name);
      if (name !== '' && found === undefined)
        throw refusal(attributes, `no PriorityClass with name ${name} was found`);
      setPriority(attributes, spec, found);
    },
    validate(attributes) {
      const { operation, kind, subresource, object, name } = attributes;
      if (kind !== priorityClass || subresource !== '' || !['CREATE', 'UPDATE'].includes(operation)) return;
      if (!(object as PriorityClass).globalDefault) return;
      const other = usual()?.metadata.name;
      if (other === undefined || (operation === 'UPDATE' && other === name)) return;
      throw refusal(
        attributes,
        `PriorityClass ${other} is already marked as default. Only one default can exist`,
      );
    },
  };
}

function classNamed(storage: ObjectStorage, name: string): PriorityClass | undefined {
  return storage.get(priorityClass, undefined, name)?.object as PriorityClass | undefined;
}

function refusal(attributes: Attributes, why: string): StatusError {
  return forbidden(attributes.kind, nameInRefusals(attributes), why);
}

function setPriority(attributes: Attributes, spec: Pod['spec'], found: PriorityClass | undefined): void {
  const { value = 0, preemptionPolicy = 'PreemptLowerPriority', metadata } = found ?? {};
  if (spec.priority !== undefined && spec.priority !== value)
    throw refusal(
      attributes,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy)
    throw refusal(
      attributes,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  if (metadata?.name !== undefined) spec.priorityClassName = metadata.name;
  spec.priority = value;
  spec.preemptionPolicy = preemptionPolicy;
}

/** An update that omits the priority fields does not change them. */
function keepPriority(spec: Pod['spec'], old: Pod['spec']): void {
  if (old.priority !== undefined) spec.priority ??= old.priority;
  if (old.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.preemptionPolicy;
}
