import type { IncomingMessage } from 'node:http';
import { parse } from 'yaml';
import { versionNameProblem } from '../../core/version/version-name.ts';
import { badRequest, invalid } from '../answer/status-error.ts';
import { readBody, textOf } from '../request/read-body.ts';
import { type ConfigAddress, plurals } from '../versions/addressing/config-address.ts';

/** A name has at most 253 characters: whatever is larger is something else. */
const maxBytes = 65_536;

/** The version that `{"version": "1.0.1"}` asks for; the proposal writes it as YAML. */
export async function readVersionRequest(incoming: IncomingMessage, about: ConfigAddress): Promise<string> {
  return parseVersionRequest(textOf(await readBody(incoming, maxBytes)), about);
}

export function parseVersionRequest(text: string, { kind, name }: ConfigAddress): string {
  let body: unknown;
  try {
    // JSON is YAML. Neither anchors nor merge keys nor tags have any use here.
    body = parse(text, {
      logLevel: 'error',
      schema: 'core',
      maxAliasCount: 0,
      uniqueKeys: true,
      merge: false,
    });
  } catch {
    throw badRequest('the body is neither JSON nor YAML; it has to be {"version": "NAME"}');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('the body has to be an object such as {"version": "1.0.1"}');
  const refuse = (field: string, problem: string) =>
    invalid({ kind: plurals[kind], name }, [{ field, problem }]);
  const version: unknown = Object.hasOwn(body, 'version')
    ? (body as { version: unknown }).version
    : undefined;
  if (version === undefined)
    throw refuse('version', 'Required value: the name of the version to make current');
  if (typeof version !== 'string')
    throw refuse('version', 'Invalid value: the name of a version is a string; put it in quotes');
  const unknown = Object.keys(body).find((key) => key !== 'version');
  if (unknown !== undefined) throw refuse(unknown, 'Forbidden: there is no such field; only "version" is');
  const problem = versionNameProblem(version);
  if (problem !== undefined) throw refuse('version', `Invalid value: ${problem}`);
  return version;
}
