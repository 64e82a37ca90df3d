import { expect, test } from 'vitest';
import { parseAuditLine } from './audit-log.ts';

const line = (extra: object) =>
  JSON.stringify({
    stage: 'ResponseComplete',
    verb: 'patch',
    requestURI: '/api/v1/namespaces/ns/configmaps/foo?fieldManager=kubectl',
    user: { username: 'admin' },
    userAgent: 'kubectl',
    objectRef: { resource: 'configmaps', namespace: 'ns', name: 'foo', apiVersion: 'v1' },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
    ...extra,
  });

test('an entry tells who did what to which object', () => {
  expect(parseAuditLine(line({}))).toEqual([
    {
      user: 'admin',
      userAgent: 'kubectl',
      verb: 'patch',
      group: '',
      resource: 'configmaps',
      namespace: 'ns',
      name: 'foo',
      code: 200,
      dryRun: false,
      webhooks: [],
      at: '2026-01-01T00:00:00.000000Z',
    },
  ]);
});

test('impersonation and dry runs can be told apart from the rest', () => {
  const [entry] = parseAuditLine(
    line({ impersonatedUser: { username: 'anna' }, requestURI: '/api/v1/x?dryRun=All' }),
  );
  expect(entry).toMatchObject({ user: 'anna', impersonatedBy: 'admin', dryRun: true });
});

test('webhooks that were asked are named', () => {
  const asked = JSON.stringify({
    configuration: 'trimtab',
    webhook: 'workloads.trimtab.dev',
    mutated: false,
  });
  const annotations = {
    'authorization.k8s.io/decision': 'allow',
    'mutation.webhook.admission.k8s.io/round_0_index_0': asked,
    'patch.webhook.admission.k8s.io/round_0_index_0': '{"patch":[]}',
  };
  expect(parseAuditLine(line({ annotations }))[0]?.webhooks).toEqual(['workloads.trimtab.dev']);
});

test('only finished requests count', () => {
  expect(parseAuditLine(line({ stage: 'RequestReceived' }))).toEqual([]);
});
