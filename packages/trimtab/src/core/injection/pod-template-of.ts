import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { findReferences, type Reference, templateReferences } from '../references/references.ts';

/** An object as users write it: any kind, with or without a pod template. */
export interface AnyObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: object;
  items?: AnyObject[];
}

/**
 * The pod template of an object: the object itself for a Pod, `spec.jobTemplate.spec.template` for a CronJob, and
 * `spec.template` for other kinds. Undefined when it has none.
 */
export function podTemplateOf(object: AnyObject): PodTemplate | undefined {
  if (object.kind === 'Pod') return object as PodTemplate;
  return templateIn(object.spec) ?? templateIn(field(field(object.spec, 'jobTemplate'), 'spec'));
}

/** The references of an object, with the names that its pods have: a pod has its names already. */
export function objectReferences(object: AnyObject): Reference[] {
  const template = podTemplateOf(object) ?? {};
  return object.kind === 'Pod' ? findReferences(template) : templateReferences(template);
}

/** All specs from the object down to its pod template, outermost first. */
export function specsOf(object: AnyObject): Record<string, unknown>[] {
  const template = podTemplateOf(object);
  if (template === undefined) return [];
  const jobSpec = field(field(object.spec, 'jobTemplate'), 'spec');
  const specs = [object.spec, jobSpec, template.spec].filter((spec) => isObject(spec));
  return [...new Set(specs)];
}

function templateIn(spec: unknown): PodTemplate | undefined {
  const template = field(spec, 'template');
  // A custom resource may have a template of something else.
  return isObject(field(template, 'spec')) ? (template as PodTemplate) : undefined;
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
