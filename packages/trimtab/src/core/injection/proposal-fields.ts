import { annotations } from '../../api/names.ts';
import { quoted } from '../messages/quoted.ts';
import { type AnyObject, podTemplateOf, specsOf } from './pod-template-of.ts';

/** The fields of the proposal, and the annotations of the pod template that they become. */
const fields = [
  {
    field: 'ConfigRestarts',
    annotation: annotations.restart,
    isValid: (value: unknown) => typeof value === 'boolean',
    allowed: 'true or false',
  },
  {
    field: 'OverrideConfigPort',
    annotation: annotations.configPort,
    isValid: (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535,
    allowed: 'a port from 1 to 65535, such as 9002',
  },
] as const;

/**
 * Turns `spec.ConfigRestarts` and `spec.OverrideConfigPort` of an object with a pod template, or of a Pod, into
 * annotations of the pod template. Returns undefined for an object without these fields.
 */
export function convertProposalFields<T extends AnyObject>(
  object: T,
): { object: T } | { problems: string[] } | undefined {
  const isGiven = specsOf(object).some((spec) => fields.some(({ field }) => field in spec));
  if (!isGiven) return undefined;
  const copy = structuredClone(object);
  const template = podTemplateOf(copy);
  const problems: string[] = [];
  const converted: Record<string, string> = {};
  for (const spec of specsOf(copy)) {
    for (const { field, annotation, isValid, allowed } of fields) {
      if (!(field in spec)) continue;
      const value = spec[field];
      delete spec[field];
      const known = converted[annotation] ?? template?.metadata?.annotations?.[annotation];
      if (!isValid(value))
        problems.push(
          `Field spec.${field} has the value ${quoted(value)}, which is not valid: must be ${allowed}`,
        );
      else if (known !== undefined && known !== String(value))
        problems.push(
          `Field spec.${field} has the value ${quoted(value)}, but the pod template has the value ${quoted(known)} (annotation ${annotation}): remove one of them`,
        );
      else converted[annotation] = String(value);
    }
  }
  if (problems.length > 0 || template === undefined) return { problems };
  template.metadata = {
    ...template.metadata,
    annotations: { ...template.metadata?.annotations, ...converted },
  };
  return { object: copy };
}
