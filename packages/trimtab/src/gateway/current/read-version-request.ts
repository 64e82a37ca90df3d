import { shortened } from '../../core/messages/quoted.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { impossibleNameProblem } from '../../core/version/version-name.ts';
import { badRequest, invalid } from '../../versions/refusal.ts';
import { type BodyFormat, bodyFormat } from '../request/content-type.ts';
import type { GatewayRequest } from '../request/gateway-request.ts';
import { parseBody, refuseDuplicates } from '../request/parse-body.ts';
import { plurals } from '../versions/addressing/config-address.ts';

/** Ample: a version name has at most 253 characters. */
const maxBytes = 16_384;

/** Reads the version of a body such as `{"version": "1.0.1"}`, as JSON or YAML. */
export async function readVersionRequest(
  { incoming, readBody }: Pick<GatewayRequest, 'incoming' | 'readBody'>,
  about: ConfigAddress,
): Promise<string> {
  const format = bodyFormat(incoming.headers);
  return parseVersionRequest(await readBody(maxBytes), format, about);
}

export function parseVersionRequest(sent: Buffer, format: BodyFormat, { kind, name }: ConfigAddress): string {
  const parsed = parseBody(sent, format);
  refuseDuplicates(parsed);
  const body = parsed.value;
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
