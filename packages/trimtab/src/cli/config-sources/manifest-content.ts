import type { ConfigBody } from '../../api/config-body.ts';
import type { AnyObject } from '../../core/injection/pod-template-of.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { CommandFailure } from '../failure.ts';
import { maxContentBytes, tooLarge } from './config-data.ts';

type Content = Pick<ConfigBody, 'data' | 'binaryData' | 'type'>;

/** The content of a config in a manifest. `stringData` of a Secret becomes `data`, as on the API server. */
export function manifestContent(
  { kind, name }: { kind: ConfigKind; name: string },
  file: string,
  objects: readonly AnyObject[],
): Content {
  const all = objects.flatMap((object) =>
    Array.isArray(object.items) ? object.items : [object],
  ) as AnyObject[];
  const found = all.filter((each) => each.kind === kind && each.metadata?.name === name);
  const [manifest] = found;
  if (manifest === undefined || found.length > 1) {
    const others = all.map((each) => `${each.kind} ${each.metadata?.name}`).join(', ');
    throw new CommandFailure(
      `${file} has ${found.length === 0 ? 'no' : 'more than one'} ${kind} ${name}${found.length === 0 && others !== '' ? `; it has ${others}` : ''}`,
    );
  }
  const { data, binaryData, stringData, type } = manifest as AnyObject & Record<string, unknown>;
  const values = strings(file, 'data', data);
  const merged =
    kind === 'Secret' ? { ...values, ...encoded(strings(file, 'stringData', stringData)) } : values;
  const content: Content = {
    ...(Object.keys(merged).length > 0 && { data: merged }),
    ...(kind === 'ConfigMap' &&
      binaryData !== undefined && { binaryData: strings(file, 'binaryData', binaryData) }),
    ...(kind === 'Secret' && typeof type === 'string' && { type }),
  };
  checkSize(kind, name, content);
  return content;
}

/** A value that YAML reads as a number or a boolean must be quoted. Values are not shown: they may be secret. */
function strings(file: string, field: string, value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {};
  const entries = typeof value === 'object' ? Object.entries(value) : [];
  const wrong = entries.find(([, each]) => typeof each !== 'string');
  if (typeof value !== 'object' || Array.isArray(value) || wrong !== undefined)
    throw new CommandFailure(
      `${file}: ${field}${wrong === undefined ? ' must be a map' : `.${wrong[0]} must be a string; quote the value`}`,
    );
  return Object.fromEntries(entries) as Record<string, string>;
}

function encoded(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
}

function checkSize(kind: ConfigKind, name: string, { data = {}, binaryData = {} }: Content): void {
  const isText = kind === 'ConfigMap';
  const sizes = [
    ...Object.entries(data).map(([key, value]) => ({ key, bytes: sizeOf(value, isText) })),
    ...Object.entries(binaryData).map(([key, value]) => ({ key, bytes: sizeOf(value, false) })),
  ];
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > maxContentBytes)
    throw tooLarge(
      kind,
      name,
      total,
      sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a)),
    );
}

function sizeOf(value: string, isText: boolean): number {
  return isText ? Buffer.byteLength(value) : Buffer.from(value, 'base64').length;
}
