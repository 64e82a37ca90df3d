import { configResources } from '@trimtab/kube/resource.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { createdVersionState } from '../../core/version/created-version-state.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import type { VersionState } from '../../core/version/version-state.ts';
import { listConfigVersions, readRollout } from '../read-config.ts';
import { Refusal } from '../refusal.ts';
import { requestVersion } from './request-version.ts';
import type { WriteContext } from './write-context.ts';

export interface Outlook {
  state: VersionState;
  /** What happens next, where the state does not say it. */
  notices: string[];
}

/**
 * Requests the activation of the version that a config was created with, when versions of an earlier config of its name
 * remain. Pods may still run those, so the new one is judged before it is current. The config exists already: what fails
 * here is reported, and does not fail the creation. `seen` are the rollout and the versions from before the creation.
 */
export async function activateCreated(
  context: WriteContext,
  address: ConfigAddress,
  seen: { rollout: ConfigRollout; versions: readonly VersionMetadata[] },
  created: VersionMetadata,
): Promise<Outlook> {
  let { rollout, versions } = seen;
  try {
    // A concurrent call may have created another version.
    rollout = (await readRollout(context.client, address)) ?? rollout;
    versions = (await listConfigVersions(context.client, address)).map(({ version }) => version);
    if (createdVersionState(rollout, versions, created).isContested) {
      const requester = { ...context, username: async () => context.by };
      await requestVersion(requester, address, rollout, created.name);
    }
    return outlookOf(address, rollout, versions, created, 'was requested');
  } catch (error) {
    const why = error instanceof Refusal || error instanceof ApiError ? error.body.message : undefined;
    if (why === undefined && !(error instanceof NetworkError)) throw error;
    const failed = `could not be requested: ${why ?? 'the API server did not respond'}`;
    return outlookOf(address, rollout, versions, created, failed);
  }
}

/** `request` says what happens to the activation of a version that is not current without one. */
export function outlookOf(
  address: ConfigAddress,
  rollout: ConfigRollout,
  existing: readonly VersionMetadata[],
  created: VersionMetadata,
  request: string,
): Outlook {
  const { state, current, isContested } = createdVersionState(rollout, existing, created);
  return { state, notices: isContested ? [noticeOf(address, created, current, request)] : [] };
}

function noticeOf(
  { kind, name }: ConfigAddress,
  created: VersionMetadata,
  current: VersionMetadata | undefined,
  what: string,
): string {
  const version = JSON.stringify(created.name);
  const which = `version ${version} of ${configResources[kind].plural} ${JSON.stringify(name)}`;
  const state =
    current === undefined || current.object === created.object
      ? `${which} is current, but another version was requested before`
      : `${which} is not current yet: version ${JSON.stringify(current.name)}, created before, still is`;
  return `${state}; activation of version ${version} ${what}`;
}
