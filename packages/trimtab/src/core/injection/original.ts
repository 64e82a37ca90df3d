import { injected } from '../../api/injected-pod.ts';
import type { Container, EnvVar, PodTemplate, Volume } from '../../api/pod-template.ts';
import { expandedJson } from './env-value.ts';

/** What the injector has changed in a pod and cannot derive again. It holds names of configs, and no content. */
export interface Original {
  /** The volumes that the agent fills now. */
  volumes: Volume[];
  containers: OriginalContainer[];
  /** Lists and maps that were empty. Without an entry, the field had members. */
  empty: Partial<Record<EmptyField, Emptiness>>;
  /** Set when the injector has set `shareProcessNamespace`. */
  shareProcessNamespace?: Emptiness;
  /** The values of our label and annotation that the pod had before. */
  injectedLabel?: string;
  workloadAnnotation?: string;
}

type EmptyField = 'metadata' | 'labels' | 'annotations' | 'initContainers' | 'volumes';

/** How a field without members was written, so that it can be restored to the letter. */
export type Emptiness = 'absent' | 'null' | 'empty';

export interface OriginalContainer {
  name: string;
  /** The environment variables that the injector has added. */
  env: string[];
  empty: { env?: Emptiness; volumeMounts?: Emptiness };
  /** The mounts that the injector has made read-only, by their paths. */
  writable: { path: string; readOnly: 'absent' | false | null }[];
  /** The names that the user wrote, in the order of the references to a version object. */
  references: { kind: string; object: string; names: string[] }[];
}

/** Undefined for a field with members. */
export function emptinessOf(value: unknown): Emptiness | undefined {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  return Object.keys(value as object).length === 0 ? 'empty' : undefined;
}

/** Restores a field that has no members any more. A field that another injector has added to stays. */
export function restoreEmpty<T extends object>(owner: T, field: keyof T, was: Emptiness = 'absent'): void {
  if (emptinessOf(owner[field]) === undefined) return;
  if (was === 'absent') delete owner[field];
  else if (was === 'null') owner[field] = null as T[keyof T];
}

export function originalEnv(original: Original): EnvVar {
  return { name: injected.env.original, value: expandedJson(original) };
}

/** Undefined when the pod is not injected. */
export function readOriginal(pod: PodTemplate): Original | { problem: string } | undefined {
  const text = injectedAgent(pod)?.env?.find(({ name }) => name === injected.env.original)?.value;
  if (text === undefined) return undefined;
  try {
    const original = JSON.parse(text) as Partial<Original> | null;
    if (Array.isArray(original?.volumes) && Array.isArray(original.containers) && original.empty)
      return original as Original;
  } catch {
    // The message below covers both.
  }
  return {
    problem: `Variable ${injected.env.original} of container "${injected.container}" was modified, so the original pod cannot be restored: remove the container and the volumes whose names start with "trimtab-"`,
  };
}

function injectedAgent(pod: PodTemplate): Container | undefined {
  return pod.spec?.initContainers?.find(({ name }) => name === injected.container);
}
