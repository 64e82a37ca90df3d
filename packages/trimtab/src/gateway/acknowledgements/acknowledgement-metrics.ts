import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import type { Acknowledgement } from './read-acknowledgement.ts';

/** Returns a function that counts an acknowledgement. `code` is the status of the response. */
export function acknowledgementMetrics(
  registry: Registry | undefined,
): (result: Acknowledgement['result'], code: 200 | 202) => void {
  const total = registry?.counter({
    name: 'trimtab_gateway_acknowledgements_total',
    help: 'Acknowledgements and refusals of versions by pods, by status code: 200 when the report is written, 202 when it is not written yet and the agent repeats it.',
    labels: ['result', 'code'],
  });
  return (result, code) => total?.inc({ result: result.toLowerCase(), code });
}
