import type { Flag } from '@trimtab/kube/flags/flags.ts';
import type { KubeObject, ObjectMeta } from '@trimtab/kube/wire.ts';
import { type OutputFormat, renderObject } from './format.ts';
import type { Screen } from './screen.ts';

export const dryRunFlag = {
  type: 'choice',
  choices: ['none', 'client', 'server'],
  default: 'none',
  implied: 'client',
  help: 'With client, print what would be sent; with server, let the API server check it. Nothing is written.',
} as const satisfies Flag;

export type DryRun = 'none' | 'client' | 'server';

const notes: Record<DryRun, string> = { none: '', client: ' (dry run)', server: ' (server dry run)' };

/** Prints `configmap "foo" created`, or the object with -o. */
export function printWritten(
  screen: Screen,
  format: OutputFormat,
  done: 'created' | 'updated',
  object: KubeObject,
  dryRun: DryRun = 'none',
): void {
  const { kind = '', metadata } = object;
  const type = kind.toLowerCase();
  screen.write(
    renderObject(format, readable(object), [`${type}/${metadata.name}`]) ??
      `${type} ${JSON.stringify(metadata.name)} ${done}${notes[dryRun]}\n`,
  );
}

/** Sorts the fields by name and leaves managedFields out, as kubectl does. */
function readable(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata as ObjectMeta & { managedFields?: unknown };
  return sorted({ ...object, metadata }) as KubeObject;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
