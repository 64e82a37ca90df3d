import { X509Certificate } from 'node:crypto';
import type { Registry } from '../metrics/metrics.ts';
import type { MaterialSource } from './material.ts';

/** Registers when the certificate that a server presents expires. `certificate` names the server. */
export function certificateMetrics(
  registry: Registry,
  certificate: string,
  served: Pick<MaterialSource, 'current'> | undefined,
): void {
  registry.gauge({
    name: 'trimtab_certificate_not_after_timestamp_seconds',
    help: 'Time at which the served certificate expires since unix epoch in seconds, by server.',
    labels: ['certificate'],
    collect: (set) => {
      if (served === undefined) return;
      const { validTo } = new X509Certificate(served.current().certificate);
      set({ certificate }, Date.parse(validTo) / 1000);
    },
  });
}
