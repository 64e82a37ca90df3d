import { annotations } from '../../api/names.ts';
import { shortened } from '../messages/quoted.ts';
import type { ReferenceWay } from '../references/reference-way.ts';
import type { ConfigKind, Reference } from '../references/references.ts';

/** Which of the configs that its pod template references a workload wants managed. */
export type Management =
  | { mode: 'unsaid' }
  | { mode: 'none' }
  | { mode: 'all' }
  | { mode: 'some'; configs: ConfigId[] };

export interface ConfigId {
  kind: ConfigKind;
  name: string;
}

/** The value of an annotation, or a message for users that says why it is not valid. */
export type Parsed<T> = { value: T } | { problem: string };

type Annotations = Record<string, string> | undefined;

/** `trimtab.dev/manage` of a workload: "true", "false", or a list such as "foo,secret/bar". */
export function parseManage(all: Annotations): Parsed<Management> {
  const text = all?.[annotations.manage]?.trim();
  if (text === undefined) return { value: { mode: 'unsaid' } };
  if (text === 'true') return { value: { mode: 'all' } };
  if (text === 'false') return { value: { mode: 'none' } };
  const configs = text.split(',').map((part) => parseConfigId(part.trim()));
  if (configs.includes(undefined)) {
    return problem(annotations.manage, text, '"true", "false", or names such as "foo,secret/bar"');
  }
  return { value: { mode: 'some', configs: configs.filter((each) => each !== undefined) } };
}

/** The value of `trimtab.dev/manage` for these configs, which `parseManage` reads; "false" for none. */
export function formatManage(configs: readonly ConfigId[]): string {
  if (configs.length === 0) return 'false';
  return configs.map(formatConfigId).join(',');
}

function formatConfigId({ kind, name }: ConfigId): string {
  if (kind === 'Secret') return `secret/${name}`;
  // A list of the single ConfigMap `true` would mean all configs.
  return name === 'true' || name === 'false' ? `configmap/${name}` : name;
}

/** `foo` and `configmap/foo` are ConfigMaps, `secret/foo` is a Secret. */
function parseConfigId(text: string): ConfigId | undefined {
  const match = /^(?:(configmap|secret)\/)?([a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/.exec(text);
  if (match === null) return undefined;
  return { kind: match[1] === 'secret' ? 'Secret' : 'ConfigMap', name: match[2] ?? '' };
}

export function manages(management: Management, reference: Pick<Reference, 'kind' | 'name'>): boolean {
  if (management.mode === 'all') return true;
  if (management.mode !== 'some') return false;
  return management.configs.some(({ kind, name }) => kind === reference.kind && name === reference.name);
}

export type ReleaseMode = 'Auto' | 'Manual' | 'Locked';

/** `trimtab.dev/release` of a config; undefined when the annotation is not set. */
export function parseRelease(all: Annotations): Parsed<ReleaseMode | undefined> {
  const text = all?.[annotations.release]?.trim();
  const modes: Record<string, ReleaseMode> = { auto: 'Auto', manual: 'Manual', locked: 'Locked' };
  if (text === undefined) return { value: undefined };
  const mode = Object.hasOwn(modes, text) ? modes[text] : undefined;
  return mode === undefined
    ? problem(annotations.release, text, '"auto", "manual" or "locked"')
    : { value: mode };
}

/** Whether the config itself sets its release mode. */
export function hasRelease(all: Annotations): boolean {
  const release = parseRelease(all);
  return 'value' in release && release.value !== undefined;
}

/** `trimtab.dev/restart` of a workload: recycle its pods, or reload without a restart. Defaults to recycle. */
export function parseRestart(all: Annotations): Parsed<'recycle' | 'reload'> {
  const text = all?.[annotations.restart]?.trim();
  if (text === undefined || text === 'true') return { value: 'recycle' };
  return text === 'false' ? { value: 'reload' } : problem(annotations.restart, text, '"true" or "false"');
}

/** `trimtab.dev/references` of a workload; undefined when the annotation is not set. */
export function parseReferences(all: Annotations): Parsed<ReferenceWay | undefined> {
  const text = all?.[annotations.references]?.trim();
  if (text === undefined || text === 'template' || text === 'admission') return { value: text };
  return problem(annotations.references, text, '"template" or "admission"');
}

/** `trimtab.dev/wave` of a workload: lower waves must be healthy before higher waves start. Defaults to 0. */
export function parseWave(all: Annotations): Parsed<number> {
  const text = all?.[annotations.wave]?.trim() ?? '0';
  const wave = /^-?\d{1,6}$/.test(text) ? Number(text) : undefined;
  return wave === undefined ? problem(annotations.wave, text, 'a whole number such as "2"') : { value: wave };
}

function problem(annotation: string, text: string, allowed: string): { problem: string } {
  return {
    problem: `Annotation ${annotation} has the value "${shortened(text)}", which is not valid: must be ${allowed}`,
  };
}
