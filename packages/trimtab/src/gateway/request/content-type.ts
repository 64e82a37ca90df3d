import { quoted } from '../../core/messages/quoted.ts';
import { StatusError } from '../answer/status-error.ts';

export type BodyFormat = 'json' | 'yaml';

const formats: Record<string, BodyFormat> = {
  'application/json': 'json',
  'text/json': 'json',
  'application/yaml': 'yaml',
  'application/x-yaml': 'yaml',
  'text/yaml': 'yaml',
  'text/x-yaml': 'yaml',
};

/** What curl sends with -d. */
const form = 'application/x-www-form-urlencoded';

/**
 * The format of a body; throws a 415 for others. Without a content type it is JSON. API servers do the same, so every
 * route does, whether it reads the body itself or passes it.
 */
export function bodyFormat(headers: Readonly<Record<string, string | string[] | undefined>>): BodyFormat {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers;
  if (encoding !== 'identity' && encoding !== '')
    throw unsupported(
      `the content encoding ${quoted(String(encoding))} is not supported: send the body uncompressed`,
    );
  const [media = '', ...parameters] = String(type)
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((part) => part.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !['utf-8', 'utf8', '"utf-8"'].includes(charset))
    throw unsupported(`the charset ${quoted(charset)} is not supported: send UTF-8`);
  const format = media === '' ? 'json' : Object.hasOwn(formats, media) ? formats[media] : undefined;
  if (format !== undefined) return format;
  throw unsupported(
    `the body of the request was in an unknown format ${quoted(media)} - accepted media types include: application/json, application/yaml${media === form ? "; with curl, add -H 'Content-Type: application/json'" : ''}`,
  );
}

function unsupported(message: string): StatusError {
  return new StatusError(415, 'UnsupportedMediaType', message);
}
