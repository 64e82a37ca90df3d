import { expect } from 'vitest';
import { Api } from './http.ts';
import { nowhere, pod, secret } from './objects.ts';
import { once, type Target } from './target.ts';

export const authentication = 'authentication.k8s.io/v1';

export const selfReviews = `/apis/${authentication}/selfsubjectreviews`;

export const whoAmI = async (api: Api) =>
  (await api.post(selfReviews, { apiVersion: authentication, kind: 'SelfSubjectReview' })).body['status'] as {
    userInfo: { username: string; uid?: string; groups: string[]; extra?: Record<string, string[]> };
  };

export const request = (spec: object) => ({ apiVersion: authentication, kind: 'TokenRequest', spec });

/** A service account, a pod that uses it and a Secret, to bind tokens to. */
export const account = once(async ({ api, core, namespace }: Target) => {
  await api.post(core('serviceaccounts'), {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'robot' },
  });
  const { body } = await api.post(
    core('pods'),
    pod('bound', { serviceAccountName: 'robot', nodeName: nowhere({ namespace }) }),
  );
  const { body: bound } = await api.post(core('secrets'), secret('bound'));
  return { pod: body.metadata, secret: bound.metadata };
});

export interface TokenStatus {
  token: string;
  expirationTimestamp: string;
}

export async function token(target: Target, spec: object = {}): Promise<string> {
  await account(target);
  const { code, text, body } = await target.api.post(
    target.core('serviceaccounts/robot/token'),
    request(spec),
  );
  expect(code, text).toBe(201);
  return (body['status'] as TokenStatus).token;
}

export const claims = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());

/** A client with the administrator's connection settings, but without the administrator's credentials. */
export async function nobody(target: Target, headers: Record<string, string> = {}): Promise<Api> {
  const access = await target.engine.access();
  const { cert: _cert, key: _key, ...tls } = await access.tls();
  const api = new Api({ ...access, tls: async () => tls, headers: async () => headers });
  target.onClose(async () => api.close());
  return api;
}

export const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
