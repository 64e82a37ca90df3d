import type { PodTemplate } from '../../api/pod-template.ts';
import { deliveryMode, templateAnnotations } from '../reload/delivery-mode.ts';
import { type Management, manages, parseManage, parseRestart } from '../workload/opt-in.ts';
import { type InjectOptions, inject } from './inject.ts';
import { listProblems } from './list-problems.ts';
import type { Versions } from './managed-configs.ts';
import { type AnyObject, podTemplateOf } from './pod-template-of.ts';
import { convertProposalFields } from './proposal-fields.ts';

export interface ObjectOptions extends Omit<InjectOptions, 'versions' | 'workload'> {
  /** The assigned versions in the namespace of an object; undefined for an object without one. */
  versionsIn: (namespace: string | undefined) => Versions;
}

export type ObjectInjection<T> =
  | {
      object: T;
      warnings: string[];
      /** The containers that take a managed config by env or envFrom, such as `Deployment/web: app`. */
      environment: string[];
    }
  | { problems: string[] };

/** The kinds that keep pods running, so agents report them as their workload. */
const workloadKinds = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ReplicationController'];

/**
 * Injects the agent into a Pod, into the pod template of an object, or into all objects of a List, where the annotation
 * `trimtab.dev/restart` of the object or its template is "false". Fields of the proposal become annotations first. Other
 * objects are returned as they are. Messages name the object.
 */
export function injectObject<T extends AnyObject>(object: T, options: ObjectOptions): ObjectInjection<T> {
  if (Array.isArray(object.items)) return injectItems(object, object.items, options);
  const name = nameOf(object);
  const about = (messages: readonly string[]) => messages.map((message) => `${name}: ${message}`);
  const converted = convertProposalFields(object) ?? { object };
  if ('problems' in converted) return { problems: about(converted.problems) };
  const template = podTemplateOf(converted.object);
  if (template === undefined) return { object, warnings: [], environment: [] };
  const restart = parseRestart(object.metadata?.annotations);
  const manage = parseManage(object.metadata?.annotations);
  const problems = [
    ...[restart, manage].flatMap((parsed) => ('problem' in parsed ? [parsed.problem] : [])),
    ...listProblems(template),
  ];
  if ('problem' in manage || problems.length > 0) return { problems: about(problems) };
  const isPod = object.kind === 'Pod';
  const annotated = isPod ? template : withAnnotationsOf(converted.object, template);
  // All pods of a template would have the same token. The webhook gives each pod another one.
  const { token, versionsIn, ...shared } = options;
  const versions = managedVersions(versionsIn(object.metadata?.namespace), manage.value);
  const result = inject(annotated, {
    ...(workloadKinds.includes(object.kind ?? '') && object.metadata?.name && { workload: name }),
    ...(isPod && token !== undefined && { token }),
    ...{ ...shared, versions },
  });
  if ('problems' in result) return { problems: about(result.problems) };
  const { pod, warnings, environment } = result;
  const injected = pod === template ? converted.object : replaceTemplate(converted.object, template, pod);
  return { object: injected, warnings: about(warnings), environment: about(environment) };
}

function injectItems<T extends AnyObject>(
  list: T,
  items: readonly AnyObject[],
  options: ObjectOptions,
): ObjectInjection<T> {
  const results = items.map((item) => injectObject(item, options));
  const problems = results.flatMap((result) => ('problems' in result ? result.problems : []));
  if (problems.length > 0) return { problems };
  const done = results.filter((result) => 'object' in result);
  return {
    object: { ...list, items: done.map(({ object }) => object) },
    warnings: done.flatMap(({ warnings }) => warnings),
    environment: done.flatMap(({ environment }) => environment),
  };
}

/** `trimtab.dev/manage` may name some configs, or none. Without it, all configs with versions are managed. */
function managedVersions(versions: Versions, management: Management): Versions {
  if (management.mode === 'unsaid') return versions;
  return (kind, name) => {
    const assigned = versions(kind, name);
    return assigned && manages(management, { kind, name: assigned.config }) ? assigned : undefined;
  };
}

/** Copies the annotations about reloading from a workload to its template, as the controller does. */
function withAnnotationsOf({ metadata }: AnyObject, template: PodTemplate): PodTemplate {
  const outer = metadata?.annotations ?? {};
  const inner = template.metadata?.annotations ?? {};
  const changes = templateAnnotations(outer, inner, deliveryMode(outer, inner));
  if (changes.size === 0) return template;
  const merged = Object.entries({ ...inner, ...Object.fromEntries(changes) });
  const annotations = Object.fromEntries(
    merged.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const { annotations: _, ...rest } = template.metadata ?? {};
  const isEmpty = Object.keys(annotations).length === 0;
  return { ...template, metadata: { ...rest, ...(!isEmpty && { annotations }) } };
}

/** Copies the objects from the root down to the template, and shares all others. */
function replaceTemplate<T>(node: T, template: object, replacement: object): T {
  if ((node as unknown) === template) return replacement as T;
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
  const entries = ['spec', 'jobTemplate', 'template'].flatMap((field) => {
    const child = (node as Record<string, unknown>)[field];
    const next = replaceTemplate(child, template, replacement);
    return next === child ? [] : [[field, next] as const];
  });
  return entries.length === 0 ? node : { ...node, ...Object.fromEntries(entries) };
}

/** `Deployment/web`. */
function nameOf({ kind, metadata }: AnyObject): string {
  return `${kind ?? 'Object'}/${metadata?.name ?? metadata?.generateName ?? ''}`;
}
