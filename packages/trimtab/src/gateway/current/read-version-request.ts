import { shortened } from '../../core/messages/quoted.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { impossibleNameProblem } from '../../core/version/version-name.ts';
import { badRequest, invalid } from '../../versions/refusal.ts';
import { bodyFormat } from '../request/content-type.ts';
import type { GatewayRequest } from '../request/gateway-request.ts';
import { refuseDuplicates } from '../request/parse-body.ts';
import type { ParsedText } from '../request/parse-limits.ts';
import { parseYaml } from '../request/parse-yaml.ts';
import { textOf } from '../request/read-body.ts';
import { plurals } from '../versions/addressing/config-address.ts';

/** Ample: a version name has at most 253 characters. */
const maxBytes = 16_384;

/** Reads the version of a body such as `{"version": "1.0.1"}`, as JSON or YAML. */
export async function readVersionRequest(
  { incoming, readBody }: Pick<GatewayRequest, 'incoming' | 'readBody'>,
  about: ConfigAddress,
): Promise<string> {
  bodyFormat(incoming.headers);
  return parseVersionRequest(textOf(await readBody(maxBytes, 'yaml')), about);
}

export function parseVersionRequest(text: string, { kind, name }: ConfigAddress): string {
  const body = parsed(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('the body must be an object such as {"version": "1.0.1"}');
  const refuse = (field: string, problem: string) =>
    invalid({ kind: plurals[kind], name }, [{ field, problem }]);
  const version: unknown = Object.hasOwn(body, 'version')
    ? (body as { version: unknown }).version
    : undefined;
  if (version === undefined)
    throw refuse('version', 'Required value: set it to the name of the version to activate');
  if (typeof version !== 'string')
    throw refuse('version', 'Invalid value: must be a string; put the version name in quotes');
  const unknown = Object.keys(body).find((key) => key !== 'version');
  if (unknown !== undefined)
    throw refuse(shortened(unknown), 'Forbidden: unknown field; only "version" is allowed');
  const problem = impossibleNameProblem(version);
  if (problem !== undefined) throw refuse('version', `Invalid value: ${problem}`);
  return version;
}

function parsed(text: string): unknown {
  let body: ParsedText;
  try {
    // JSON is a subset of YAML.
    body = parseYaml(text);
  } catch {
    throw badRequest('the body is not valid JSON or YAML: send {"version": "NAME"}');
  }
  refuseDuplicates(body);
  return body.value;
}
