import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { requestInfo } from '../request/request-info.ts';
import { auditEvent } from './audit-event.ts';

function noted(
  method: string,
  path: string,
  bodies: { request?: string; response?: string } = {},
  code = 201,
  annotations: Record<string, string> = {},
) {
  const info = requestInfo(method, path, new URLSearchParams());
  const incoming = { url: path, headers: { 'user-agent': 'test' }, socket: { remoteAddress: '127.0.0.1' } };
  const audited = {
    id: 'i',
    receivedAt: 0,
    user: { username: 'jane', groups: [] },
    annotations,
    ...(info !== undefined && { info }),
    ...(bodies.request !== undefined && { requestBody: bodies.request }),
    ...(bodies.response !== undefined && { responseBody: bodies.response }),
  };
  return auditEvent(audited, incoming as unknown as IncomingMessage, code, 1_000);
}

test('a write is noted with what was sent and what was answered, under the name that it got', () => {
  const response = JSON.stringify({ kind: 'ConfigMap', metadata: { name: 'web-x7k2p' } });
  expect(
    noted('POST', '/api/v1/namespaces/shop/configmaps', { request: '{"data":{}}', response }),
  ).toMatchObject({
    level: 'RequestResponse',
    verb: 'create',
    objectRef: { resource: 'configmaps', namespace: 'shop', name: 'web-x7k2p', apiVersion: 'v1' },
    requestObject: { data: {} },
    responseStatus: { code: 201 },
    requestReceivedTimestamp: '1970-01-01T00:00:00.000000Z',
  });
});

test.each([
  ['/api/v1/namespaces/shop/secrets'],
  ['/api/v1/namespaces/shop/serviceaccounts/robot/token'],
  ['/apis/authentication.k8s.io/v1/tokenreviews'],
])('what must not be known is not in a note about %s', (path) => {
  const secret = JSON.stringify({ metadata: { name: 'a' }, data: { key: 'aHVudGVyMg==' } });
  const event = noted('POST', path, { request: secret, response: secret });
  expect(event?.level).toBe('Metadata');
  expect(JSON.stringify(event)).not.toContain('aHVudGVyMg');
});

test('a refusal of a Secret, which may repeat it, is noted with its reason only, and without what webhooks changed', () => {
  const words = 'patch: Invalid value: hunter2';
  const response = JSON.stringify({
    kind: 'Status',
    message: words,
    reason: 'Invalid',
    details: { name: 'hunter2' },
  });
  const path = '/api/v1/namespaces/shop/secrets/a';
  const annotations = { 'patch.webhook.admission.k8s.io/round_0_index_0': 'hunter2', kept: 'yes' };
  const event = noted('PATCH', path, { response }, 422, annotations);
  expect(event).toMatchObject({
    responseStatus: { reason: 'Invalid', code: 422 },
    annotations: { kept: 'yes' },
  });
  expect(JSON.stringify(event)).not.toContain('hunter2');
});

test('a refusal is noted with its words', () => {
  const response = JSON.stringify({
    kind: 'Status',
    status: 'Failure',
    message: 'no',
    reason: 'Forbidden',
    code: 403,
  });
  expect(noted('DELETE', '/apis/apps/v1/namespaces/shop/deployments/web', { response }, 403)).toMatchObject({
    objectRef: { apiGroup: 'apps', name: 'web' },
    responseStatus: { status: 'Failure', message: 'no', reason: 'Forbidden', code: 403 },
  });
});

test('pages that are no resources leave no note', () => {
  expect(noted('GET', '/healthz', {}, 200)).toBeUndefined();
});
