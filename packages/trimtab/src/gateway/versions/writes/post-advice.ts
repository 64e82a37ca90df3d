import type { ConfigAddress } from '../../../core/references/config-address.ts';
import { Refusal, type Remedy } from '../../../versions/refusal.ts';
import { plurals } from '../addressing/config-address.ts';

/** Appends the request that helps to the message of a refusal. Any other error stays as it is. */
export function withPostAdvice(error: unknown, { kind, namespace, name }: ConfigAddress): unknown {
  if (!(error instanceof Refusal) || error.remedy === undefined) return error;
  const collection = `/api/v1/namespaces/${namespace}/${plurals[kind]}`;
  const advice: Record<Remedy, string> = {
    'create-config': `create it with its first version by POST ${collection}/{version} with its name in the body`,
    'add-version': `add a version with POST ${collection}/${name}/{version}`,
  };
  const { code, reason, message, details } = error.body;
  return new Refusal(code, reason, `${message}: ${advice[error.remedy]}`, details);
}
