import { sleep } from '@trimtab/kube/clock.ts';
import { longestName, shortened } from '../../core/messages/quoted.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { configKey } from '../../core/references/config-key.ts';
import { readAcknowledgement } from '../acknowledgements/read-acknowledgement.ts';
import { answerObject } from '../answer/answer-object.ts';
import { StatusError } from '../answer/status-error.ts';
import type { GatewayRequest } from '../request/gateway-request.ts';
import type { CurrentServices } from './services.ts';

/** How long a response waits for the write of the report. */
const patienceMs = 1_000;

/**
 * `POST …/current/ack`: a pod acknowledges or refuses the version that it was given. 200 means that the report is
 * written; 202 means that it is not written yet, and the agent repeats it.
 */
export async function acknowledge(
  { pods, reports, clock, countAcknowledgement }: CurrentServices,
  request: GatewayRequest,
  address: ConfigAddress,
): Promise<'answered'> {
  const { caller, signal } = request;
  if (caller.is !== 'pod')
    throw new StatusError(
      403,
      'Forbidden',
      'only a pod acknowledges a version: use the service account token of the pod, with the audience trimtab.dev',
    );
  const source = await pods.source(caller, address, signal);
  const said = await readAcknowledgement(request, address);
  const applied = await source.now(signal);
  if (applied?.object !== said.object)
    throw new StatusError(
      409,
      'Conflict',
      `${shortened(said.object, longestName)} is not the version that pod "${caller.name}" should run; read …/current again`,
    );
  const { workload } = source;
  const uid = workload?.assigned()?.uid;
  let isWritten = workload === undefined;
  if (workload !== undefined && uid !== undefined) {
    const waited = new AbortController();
    const key = configKey(address.kind, address.name);
    const writing = reports.note({ ...workload, uid }, caller, key, said).then(
      () => true,
      () => false,
    );
    const late = sleep(clock, patienceMs, waited.signal).then(
      () => false,
      () => false,
    );
    isWritten = await Promise.race([writing, late]);
    waited.abort();
  }
  const code = isWritten ? 200 : 202;
  countAcknowledgement(said.result, code);
  return answerObject(request, code, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
  });
}
