import { expect, test } from 'vitest';
import { createRegistry } from '../metrics/metrics.ts';
import { createAuthority } from './authority.ts';
import { certificateMetrics } from './certificate-metrics.ts';
import { createMaterial } from './material.ts';

test('the expiry of the served certificate is reported, and follows a renewal', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const valid = (validForMs: number) => createAuthority({ commonName: 'webhook', now, validForMs });
  const served = createMaterial(valid(3_600_000));
  const registry = createRegistry();
  certificateMetrics(registry, 'webhook', served);
  const line = (ms: number) =>
    `trimtab_certificate_not_after_timestamp_seconds{certificate="webhook"} ${(now + ms) / 1000}\n`;
  expect(registry.render()).toContain(line(3_600_000));
  served.replace(valid(7_200_000));
  expect(registry.render()).toContain(line(7_200_000));
});
