import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { shortened } from '../../core/messages/quoted.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { badRequest } from '../../versions/refusal.ts';
import { isMatch, readTagList } from '../answer/entity-tag.ts';
import { StatusError } from '../answer/status-error.ts';
import type { GatewayRequest } from '../request/gateway-request.ts';
import { plurals } from '../versions/addressing/config-address.ts';
import { currentTag } from './current-tag.ts';
import { PersonCurrent, type PersonVersion } from './person-current.ts';
import type { CurrentServices } from './services.ts';

/** Throws a 412 when the version that is current by this ConfigRollout is not the one that the caller expects. */
export type ActivationPrecondition = (rollout: ConfigRollout | undefined) => Promise<void>;

/** Reads If-Match of `PUT …/current`. Throws a 400 for a condition that cannot be understood: ignoring it would be wrong. */
export function activationPrecondition(
  { watches }: Pick<CurrentServices, 'watches'>,
  { incoming, signal }: Pick<GatewayRequest, 'incoming' | 'signal'>,
  client: KubeClient,
  address: ConfigAddress,
): ActivationPrecondition {
  const { 'if-match': header, 'if-none-match': unsupported } = incoming.headers;
  if (unsupported !== undefined)
    throw badRequest(
      'If-None-Match is not supported for an activation: use If-Match with the version to replace',
    );
  if (header === undefined) return async () => {};
  const list = readTagList(header);
  if (list === undefined)
    throw badRequest(
      'If-Match is not valid: must be the ETag of a response or a version name, percent-encoded and in double quotes, such as "1.0.0"',
    );
  return async (rollout) => {
    const current = await new PersonCurrent(client, address, watches).of(rollout, signal);
    const tags =
      current === undefined ? [] : (['json', 'yaml'] as const).map((each) => currentTag(current, each));
    if (isMatch(list, current && { version: current.version, tags })) return;
    const { kind, name } = address;
    const state = current === undefined ? 'no version is current' : stateText(current);
    throw new StatusError(
      412,
      'PreconditionFailed',
      `the precondition If-Match: ${shortened(header)} of ${plurals[kind]} ${JSON.stringify(name)} failed: ${state}; nothing was activated`,
      { kind: plurals[kind], name },
      tags.length === 0 ? {} : { etag: `"${tags[0]}"` },
    );
  };
}

function stateText({ version, next }: Pick<PersonVersion, 'version' | 'next'>): string {
  const current = `version ${JSON.stringify(version)} is current`;
  if (next === undefined) return current;
  const progress = next.isInProgress ? 'in progress' : 'requested';
  return `${current}, and activation of version ${JSON.stringify(next.version)} is ${progress}`;
}
