import type { ConfigAddress } from '../../core/references/config-address.ts';
import { badRequest, invalid } from '../../versions/refusal.ts';
import { type BodyFormat, bodyFormat } from '../request/content-type.ts';
import type { GatewayRequest } from '../request/gateway-request.ts';
import { parseBody } from '../request/parse-body.ts';
import { plurals } from '../versions/addressing/config-address.ts';

/** What the agent of a pod reports about one config. */
export interface Acknowledgement {
  /** The ConfigMap or Secret that holds the version. */
  object: string;
  result: 'Acknowledged' | 'Refused';
  /** Why the application refused the version. */
  reason: string;
  /** Increases with every report of the pod. */
  sequence: number;
}

const maxBytes = 16_384;
const maxReasonLength = 1_024;

export async function readAcknowledgement(
  { incoming, readBody }: Pick<GatewayRequest, 'incoming' | 'readBody'>,
  about: ConfigAddress,
): Promise<Acknowledgement> {
  const format = bodyFormat(incoming.headers);
  return parseAcknowledgement(await readBody(maxBytes), format, about);
}

function parseAcknowledgement(
  sent: Buffer,
  format: BodyFormat,
  { kind, name }: ConfigAddress,
): Acknowledgement {
  let body: unknown;
  try {
    body = parseBody(sent, format).value;
  } catch {
    throw badRequest(`the body is not valid JSON or YAML: send ${example}`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest(`the body must be an object such as ${example}`);
  const { object, result, reason = '', sequence } = body as Record<string, unknown>;
  const refuse = (field: string, problem: string) =>
    invalid({ kind: plurals[kind], name }, [{ field, problem }]);
  if (typeof object !== 'string' || object === '')
    throw refuse('object', 'Required value: the name of the object that holds the version');
  if (result !== 'Acknowledged' && result !== 'Refused')
    throw refuse('result', 'Unsupported value: must be "Acknowledged" or "Refused"');
  if (typeof reason !== 'string') throw refuse('reason', 'Invalid value: must be a string');
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 0)
    throw refuse('sequence', 'Invalid value: must be a whole number that increases with every report');
  return { object, result, reason: reason.slice(0, maxReasonLength), sequence };
}

const example = '{"object": "foo-abc", "result": "Acknowledged", "sequence": 1}';
