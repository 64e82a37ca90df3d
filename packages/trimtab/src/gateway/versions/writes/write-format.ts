import type { IncomingHttpHeaders } from 'node:http';
import type { BodyFormat } from '../../request/content-type.ts';

/** What the body of a write holds: a whole object, the whole intent of one manager, or changes of an object. */
export type WriteForm = 'object' | 'apply' | 'merge' | 'strategic' | 'json-patch';

export interface WriteFormat {
  form: WriteForm;
  parsedAs: BodyFormat;
}

const object = (parsedAs: BodyFormat): WriteFormat => ({ form: 'object', parsedAs });

const formats: Record<'PUT' | 'PATCH', Readonly<Record<string, WriteFormat>>> = {
  PUT: {
    '': object('json'),
    'application/json': object('json'),
    'text/json': object('json'),
    'application/yaml': object('yaml'),
    'application/x-yaml': object('yaml'),
    'text/yaml': object('yaml'),
    'text/x-yaml': object('yaml'),
  },
  PATCH: {
    'application/apply-patch+yaml': { form: 'apply', parsedAs: 'yaml' },
    'application/merge-patch+json': { form: 'merge', parsedAs: 'json' },
    'application/strategic-merge-patch+json': { form: 'strategic', parsedAs: 'json' },
    'application/json-patch+json': { form: 'json-patch', parsedAs: 'json' },
  },
};

/** Undefined for a format that cannot name a version, such as protobuf, or that the API server refuses. */
export function writeFormat(method: 'PUT' | 'PATCH', headers: IncomingHttpHeaders): WriteFormat | undefined {
  const { 'content-type': type = '', 'content-encoding': encoding = '' } = headers;
  if (encoding !== '' && encoding !== 'identity') return undefined;
  const [media = ''] = type.split(';');
  const known = formats[method];
  const name = media.trim().toLowerCase();
  return Object.hasOwn(known, name) ? known[name] : undefined;
}
