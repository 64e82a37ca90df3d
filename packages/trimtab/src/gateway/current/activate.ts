import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { CauseReason } from '../../api/reasons/response-reasons.ts';
import type { RequestOutcome, Superseded } from '../../core/activation/version-request.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { unmanagedVersionName } from '../../core/version/unmanaged-version.ts';
import { noConfig, noVersion } from '../../versions/not-found.ts';
import { readLive, readRollout, readVersion } from '../../versions/read-config.ts';
import { listWorkloads } from '../../versions/reads/list-workloads.ts';
import { presentUnmanaged } from '../../versions/reads/present.ts';
import { readPlanInput } from '../../versions/reads/read-plan-input.ts';
import { requestVersion, type VersionRequest } from '../../versions/writes/request-version.ts';
import { activationPlan, type PlannedObject, unmanagedPlan } from '../../view/activation-plan.ts';
import { answerObject } from '../answer/answer-object.ts';
import { StatusError } from '../answer/status-error.ts';
import { fieldManager } from '../identity/field-manager.ts';
import { requirePerson } from '../identity/require-person.ts';
import type { GatewayRequest, Person } from '../request/gateway-request.ts';
import { plurals } from '../versions/addressing/config-address.ts';
import { activationPrecondition } from './activation-precondition.ts';
import { isDryRun, waitMs } from './query.ts';
import { readVersionRequest } from './read-version-request.ts';
import type { CurrentServices } from './services.ts';
import { waitForOutcome } from './wait-for-outcome.ts';

/** `PUT …/current`: activates a version with the caller's rights, or returns the plan for a dry run. */
export async function activate(
  services: CurrentServices,
  request: GatewayRequest,
  address: ConfigAddress,
): Promise<'answered'> {
  const { query, signal, turn } = request;
  const caller = requirePerson(request.caller);
  const [dryRun, waitForMs] = [isDryRun(query), waitMs(query)];
  const precondition = activationPrecondition(services, request, caller.client, address);
  const version = await readVersionRequest(request, address);
  const rollout = await readRollout(caller.client, address, signal);
  if (rollout === undefined) {
    const content = await unmanaged(request, caller, address, version, dryRun);
    await precondition(undefined);
    return answerObject(request, 200, content);
  }
  const target = await readVersion(caller.client, address, rollout, version, signal);
  if (target === undefined) throw noVersion(address, version);
  if (dryRun) {
    await precondition(rollout);
    const input = await readPlanInput<PlannedObject>(caller.client, address, rollout, target, signal);
    await turn();
    return answerObject(request, 200, activationPlan(input));
  }
  const requester = { ...caller, fieldManager, signal };
  const done = await requestVersion(requester, address, rollout, version, { precondition });
  const answer = await finalAnswer(services, caller, address, version, done, waitForMs, signal);
  const watch = watchPath(address, answer.rollout);
  return answerObject(request, answer.code, presentRollout(answer.rollout, watch), {
    headers: { location: watch },
    warnings: answer.warnings,
  });
}

interface Answer {
  code: 200 | 202;
  rollout: ConfigRollout;
  warnings: string[];
}

async function finalAnswer(
  services: CurrentServices,
  { client }: Person,
  address: ConfigAddress,
  version: string,
  { rollout, requestId, settled, supersedes }: VersionRequest,
  waitForMs: number | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const warnings = supersedes === undefined ? [] : [supersededText(supersedes)];
  if (settled) return { code: 200, rollout, warnings };
  if (waitForMs === undefined || requestId === undefined) return { code: 202, rollout, warnings };
  const waited = await waitForOutcome(services, client, address, version, rollout, waitForMs, signal);
  const { rollout: last, outcome, interruption } = waited;
  if (outcome.state === 'current') return { code: 200, rollout: last, warnings };
  if (outcome.state !== 'in-progress') throw requestFailed(address, version, outcome, warnings);
  // The request was accepted and its activation continues: an error would make callers repeat it.
  const why =
    interruption === undefined
      ? `activation of version ${version} is still in progress after ${waitForMs / 1000} s: ${stateText(last)}`
      : `activation of version ${version} was requested, but its outcome is unknown: ${interruption}`;
  return { code: 202, rollout: last, warnings: [...warnings, why] };
}

async function unmanaged(
  { signal, turn }: GatewayRequest,
  { client }: Person,
  address: ConfigAddress,
  version: string,
  dryRun: boolean,
): Promise<unknown> {
  const live = await readLive(client, address, signal);
  if (live === undefined) throw noConfig(address);
  if (version !== unmanagedVersionName(live)) throw noVersion(address, version);
  if (!dryRun) return presentUnmanaged(live);
  const listed = await listWorkloads<PlannedObject>(client, address.namespace, signal);
  await turn();
  return unmanagedPlan(address, live, listed);
}

function supersededText({ version, by, activation }: Superseded): string {
  const what = activation === undefined ? 'the request for' : `activation ${activation} of`;
  return `this request supersedes ${what} version ${version}, requested by ${by ?? 'an edit of the config or of the ConfigRollout'}`;
}

function requestFailed(
  { kind, name }: ConfigAddress,
  version: string,
  outcome: Exclude<RequestOutcome, { state: 'in-progress' | 'current' }>,
  warnings: string[],
): StatusError {
  const isSuperseded = outcome.state === 'superseded';
  const message = isSuperseded
    ? `version ${version} was superseded by ${outcome.version === undefined ? 'an edit of the config' : `version ${outcome.version}`}${outcome.by === undefined ? '' : `, requested by ${outcome.by}`}`
    : outcome.message;
  const superseded: CauseReason = 'Superseded';
  const reason = isSuperseded ? superseded : outcome.reason;
  const causes = [{ reason, message, field: 'version' }, ...warnings.map((text) => ({ message: text }))];
  return new StatusError(409, 'Conflict', message, { kind: plurals[kind], name, causes });
}

function stateText({ status }: ConfigRollout): string {
  const degraded = status?.conditions?.find((each) => each.type === 'Degraded' && each.status === 'True');
  return degraded?.message ?? `${status?.phase ?? 'not started'}, ${status?.updated ?? '0/0'} pods updated`;
}

function watchPath({ kind, namespace, name }: ConfigAddress, { metadata }: ConfigRollout): string {
  const path = `/api/v1/namespaces/${namespace}/${plurals[kind]}/${name}/current`;
  return `${path}?watch=true&resourceVersion=${metadata.resourceVersion ?? ''}`;
}

function presentRollout(rollout: ConfigRollout, watch: string): ConfigRollout {
  const { managedFields: _, ...metadata } = rollout.metadata as ConfigRollout['metadata'] & {
    managedFields?: unknown;
  };
  return {
    ...rollout,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotations.watch]: watch } },
  };
}
