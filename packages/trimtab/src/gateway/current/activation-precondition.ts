import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { pendingVersion } from '../../core/activation/version-request.ts';
import { shortened } from '../../core/messages/quoted.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { badRequest } from '../../versions/refusal.ts';
import { entityTag, isMatch, readTagList } from '../answer/entity-tag.ts';
import { StatusError } from '../answer/status-error.ts';
import type { GatewayRequest } from '../request/gateway-request.ts';
import { plurals } from '../versions/addressing/config-address.ts';
import { PersonCurrent } from './person-current.ts';
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
    const { version = '', key = '', next } = current ?? {};
    const known = (['json', 'yaml'] as const).map((format) => entityTag(key, format));
    // A tag stands for what its reader saw, and the request of another caller is not visible there until it begins.
    const pending = rollout && pendingVersion(rollout);
    const tags = pending === undefined || pending === version ? known : [];
    if (isMatch(list, current && { version, tags })) return;
    const { kind, name } = address;
    const coming = next ?? pending;
    const rolling =
      coming === undefined || coming === version
        ? ''
        : `, and activation of version ${JSON.stringify(coming)} ${next === undefined ? 'is requested' : 'is in progress'}`;
    const state =
      current === undefined
        ? 'no version is current'
        : `version ${JSON.stringify(version)} is current${rolling}`;
    throw new StatusError(
      412,
      'PreconditionFailed',
      `the precondition If-Match: ${shortened(header)} of ${plurals[kind]} ${JSON.stringify(name)} failed: ${state}; nothing was activated`,
      { kind: plurals[kind], name },
      current === undefined ? {} : { etag: `"${known[0]}"` },
    );
  };
}
