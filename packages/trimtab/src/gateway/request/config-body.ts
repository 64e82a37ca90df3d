import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { abbreviate } from '../../core/messages/abbreviate.ts';
import { quoted, shortened } from '../../core/messages/quoted.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { badRequest } from '../../versions/refusal.ts';
import { fieldProblems, knownFields } from './config-fields.ts';

/** The ConfigMap or Secret of a request, which may name its version. */
export interface SentConfig {
  body: ConfigBody;
  /** `metadata.version` */
  version: string | undefined;
  /** Paths of fields that the kind does not have. */
  unknown: string[];
}

/**
 * Reads a parsed body as a config. The API server validates names, keys and sizes. Checked here is what the API server
 * no longer sees after the version and `stringData` are taken out.
 */
export function configBody(kind: ConfigKind, value: unknown): SentConfig {
  if (value === undefined) throw badRequest(`the body is empty: send a ${kind} as JSON or YAML`);
  if (!isMap(value)) throw badRequest(`the body is ${nameOf(value)}: send a ${kind} as JSON or YAML`);
  refuseOther(kind, value);
  const problems = fieldProblems(kind, value);
  if (problems.length > 0)
    throw badRequest(
      `${kind} in version "v1" cannot be handled as a ${kind}: ${abbreviate(problems.map(({ field, problem }) => `${field}: ${problem}`)).join(', ')}`,
    );
  // The checks above make the cast safe. Unknown fields are dropped.
  const sent = value as unknown as ConfigBody & { stringData?: Record<string, string | null> | null };
  const { version, ...metadata } = knownMetadata(kind, sent.metadata);
  const body: ConfigBody = {
    apiVersion: 'v1',
    kind,
    metadata,
    ...(kind === 'Secret' && sent.type && { type: sent.type }),
    ...(sent.immutable && { immutable: true }),
    ...mapped('data', sent.data, kind === 'Secret' ? canonicalBase64 : (text) => text),
    ...(kind === 'ConfigMap' && mapped('binaryData', sent.binaryData, canonicalBase64)),
  };
  if (kind === 'Secret' && sent.stringData) body.data = withEntries(body.data, sent.stringData);
  return { body, version, unknown: unknownFields(kind, value) };
}

function refuseOther(kind: ConfigKind, { apiVersion, kind: sent }: Record<string, unknown>): void {
  if ((sent ?? kind) !== kind)
    throw badRequest(`the body is of kind ${quoted(sent)}, but the path requires a ${kind}`);
  if ((apiVersion ?? 'v1') !== 'v1')
    throw badRequest(
      `the API version in the data (${typeof apiVersion === 'string' ? shortened(apiVersion) : quoted(apiVersion)}) does not match the expected API version (v1)`,
    );
}

function knownMetadata(kind: ConfigKind, sent: unknown): ObjectMeta & { version?: string } {
  if (!isMap(sent)) return {};
  const { metadata } = knownFields(kind);
  const known = Object.entries(sent).filter(([key, value]) => metadata.has(key) && value !== null);
  // `Name` is a documented spelling of `name`.
  const named = sent['name'] === undefined && sent['Name'] ? [['name', sent['Name']]] : [];
  return Object.fromEntries([...known, ...named]);
}

type Mapping = (text: string) => string;

/** A null value becomes an empty string, as in the API server. Uses entries because a key may be `__proto__`. */
function mapped(
  field: 'data' | 'binaryData',
  map: Record<string, string | null> | undefined | null,
  change: Mapping,
): Partial<ConfigBody> {
  if (map === undefined || map === null) return {};
  return { [field]: Object.fromEntries(Object.entries(map).map(([key, text]) => [key, change(text ?? '')])) };
}

function canonicalBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('base64');
}

function withEntries(
  data: Record<string, string> | undefined,
  texts: Record<string, string | null>,
): Record<string, string> {
  const encoded = Object.entries(texts).map(([key, text]) => [
    key,
    Buffer.from(text ?? '').toString('base64'),
  ]);
  return Object.fromEntries([...Object.entries(data ?? {}), ...encoded]);
}

function unknownFields(kind: ConfigKind, value: Record<string, unknown>): string[] {
  const { top, metadata } = knownFields(kind);
  const own = Object.keys(value).filter((key) => !top.has(key));
  const sent = isMap(value['metadata']) ? value['metadata'] : {};
  const below = Object.keys(sent)
    .filter((key) => !metadata.has(key) && !(key === 'Name' && sent['name'] === undefined))
    .map((key) => `metadata.${key}`);
  return [...own, ...below];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
}
