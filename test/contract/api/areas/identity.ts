import { expect } from 'vitest';
import { waitFor } from '../../../support/wait-for.ts';
import { contract } from '../contract.ts';
import { Api } from '../http.ts';
import { pod, secret } from '../objects.ts';
import {
  badRequest,
  conflict,
  forbidden,
  invalid,
  notFound,
  type Refusal,
  refused,
  refuses,
} from '../statuses.ts';
import { once, type Target } from '../target.ts';

const authentication = 'authentication.k8s.io/v1';
const selfReviews = `/apis/${authentication}/selfsubjectreviews`;
const tokenReviews = `/apis/${authentication}/tokenreviews`;

const whoAmI = async (api: Api) =>
  (await api.post(selfReviews, { apiVersion: authentication, kind: 'SelfSubjectReview' })).body['status'] as {
    userInfo: { username: string; uid?: string; groups: string[]; extra?: Record<string, string[]> };
  };

const request = (spec: object) => ({ apiVersion: authentication, kind: 'TokenRequest', spec });

/** A service account, a pod that uses it and a Secret, to bind tokens to. */
const account = once(async ({ api, core }: Target) => {
  await api.post(core('serviceaccounts'), {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'robot' },
  });
  const { body } = await api.post(
    core('pods'),
    pod('bound', { serviceAccountName: 'robot', nodeName: 'nowhere' }),
  );
  const { body: bound } = await api.post(core('secrets'), secret('bound'));
  return { pod: body.metadata, secret: bound.metadata };
});

interface TokenStatus {
  token: string;
  expirationTimestamp: string;
}

async function token(target: Target, spec: object = {}): Promise<string> {
  await account(target);
  const { code, text, body } = await target.api.post(
    target.core('serviceaccounts/robot/token'),
    request(spec),
  );
  expect(code, text).toBe(201);
  return (body['status'] as TokenStatus).token;
}

const claims = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());

async function review(target: Target, text: string, audiences?: string[]) {
  const spec = { token: text, ...(audiences === undefined ? {} : { audiences }) };
  const { body } = await target.api.post(tokenReviews, {
    apiVersion: authentication,
    kind: 'TokenReview',
    spec,
  });
  return body['status'] as {
    authenticated?: boolean;
    error?: string;
    audiences?: string[];
    user: { username?: string; groups?: string[]; extra?: Record<string, string[]> };
  };
}

/** A server may learn of the pod that a token is bound to a moment after it has made the token. */
const alive = (target: Target, text: string) =>
  waitFor('the token is good', async () => {
    const status = await review(target, text);
    return status.authenticated ? { met: status } : { seen: String(status.error) };
  });

/** The administrator's connection, without the administrator's identity. */
async function nobody(target: Target, headers: Record<string, string> = {}): Promise<Api> {
  const access = await target.engine.access();
  const { cert: _cert, key: _key, ...tls } = await access.tls();
  const api = new Api({ ...access, tls: async () => tls, headers: async () => headers });
  target.onClose(async () => api.close());
  return api;
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

export const identity = contract('identity', (it) => {
  it('a client certificate names its user and groups', async (target) => {
    const api = await target.as({ certificateOf: 'jane', group: 'testers' });
    const { userInfo } = await whoAmI(api);
    expect(userInfo.username).toBe('jane');
    expect(userInfo.groups).toEqual(['testers', 'system:authenticated']);
  });

  it('the administrator is in system:masters or its like', async ({ api }) => {
    const { userInfo } = await whoAmI(api);
    expect(userInfo.groups).toContain('system:authenticated');
    const { code } = await api.get('/api/v1/namespaces');
    expect(code).toBe(200);
  });

  it('without credentials, one is anonymous', async (target) => {
    refused(
      target,
      await (await nobody(target)).get('/api/v1/namespaces'),
      forbidden(
        'namespaces',
        '',
        'User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
      ),
    );
  });

  it('the anonymous may ask for health and version', async (target) => {
    const api = await nobody(target);
    for (const path of ['/healthz', '/livez', '/readyz', '/version'])
      expect((await api.get(path)).code).toBe(200);
  });

  it('the anonymous may not ask who they are', async (target) => {
    const answer = await (await nobody(target)).post(selfReviews, {
      apiVersion: authentication,
      kind: 'SelfSubjectReview',
    });
    refused(
      target,
      answer,
      forbidden(
        'selfsubjectreviews.authentication.k8s.io',
        '',
        'User "system:anonymous" cannot create resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope',
      ),
    );
  });

  it('a token that is none is refused', async (target) => {
    refused(target, await (await nobody(target, bearer('nonsense'))).get('/api/v1/namespaces'), {
      code: 401,
      reason: 'Unauthorized',
      message: 'Unauthorized',
    });
  });

  it('a token that was tampered with is refused', async (target) => {
    const [header = '', , signature = ''] = (await token(target)).split('.');
    const forged = Buffer.from(
      JSON.stringify({ ...claims(await token(target)), sub: 'system:serviceaccount:kube-system:default' }),
    ).toString('base64url');
    const api = await nobody(target, bearer(`${header}.${forged}.${signature}`));
    expect((await api.get('/api/v1/namespaces')).code).toBe(401);
  });

  it('a token without a signature is refused', async (target) => {
    const [, body = ''] = (await token(target)).split('.');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    expect((await (await nobody(target, bearer(`${none}.${body}.`))).get('/api/v1/namespaces')).code).toBe(
      401,
    );
  });

  it('a service account’s token names it and its groups', async (target) => {
    const { namespace } = target;
    const { userInfo } = await whoAmI(await nobody(target, bearer(await token(target))));
    expect(userInfo.username).toBe(`system:serviceaccount:${namespace}:robot`);
    expect(userInfo.groups).toEqual([
      'system:serviceaccounts',
      `system:serviceaccounts:${namespace}`,
      'system:authenticated',
    ]);
    expect(userInfo.extra).toMatchObject({
      'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)],
    });
  });

  it('a token is a JWT with the claims that Kubernetes writes', async (target) => {
    const { namespace } = target;
    const found = claims(await token(target, { expirationSeconds: 1800 }));
    expect(found).toEqual({
      aud: [expect.any(String)],
      exp: expect.any(Number),
      iat: expect.any(Number),
      nbf: expect.any(Number),
      iss: expect.any(String),
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'kubernetes.io': { namespace, serviceaccount: { name: 'robot', uid: expect.any(String) } },
      sub: `system:serviceaccount:${namespace}:robot`,
    });
    expect(found.exp - found.iat).toBe(1800);
  });

  it('the answer to a token request tells the audience and the end', async (target) => {
    await account(target);
    const { body } = await target.api.post(
      target.core('serviceaccounts/robot/token'),
      request({ audiences: ['a', 'b'], expirationSeconds: 700 }),
    );
    expect(body).toMatchObject({
      kind: 'TokenRequest',
      spec: { audiences: ['a', 'b'], expirationSeconds: 700 },
    });
    const { expirationTimestamp } = body['status'] as TokenStatus;
    expect(Date.parse(expirationTimestamp)).toBeGreaterThan(Date.now());
  });

  it('a token is good for an hour unless told', async (target) => {
    const { exp, iat } = claims(await token(target));
    expect(exp - iat).toBe(3600);
  });

  it('a token for another audience is not good for the API', async (target) => {
    const api = await nobody(target, bearer(await token(target, { audiences: ['trimtab.dev'] })));
    expect((await api.get('/api/v1/namespaces')).code).toBe(401);
  });

  it('a TokenReview tells who a token is', async (target) => {
    const { namespace } = target;
    const status = await review(target, await token(target));
    expect(status).toMatchObject({
      authenticated: true,
      user: { username: `system:serviceaccount:${namespace}:robot` },
    });
    expect(status.audiences).toHaveLength(1);
  });

  it('a TokenReview holds for the audience that it names', async (target) => {
    const text = await token(target, { audiences: ['trimtab.dev', 'other'] });
    expect(await review(target, text, ['trimtab.dev', 'third'])).toMatchObject({
      authenticated: true,
      audiences: ['trimtab.dev'],
    });
    const wrong = await review(target, text, ['third']);
    expect(wrong).toEqual({
      user: {},
      error:
        '[invalid bearer token, token audiences ["trimtab.dev" "other"] is invalid for the target audiences ["third"]]',
    });
  });

  it('a TokenReview of nonsense says so', async (target) => {
    expect(await review(target, 'nonsense')).toEqual({ user: {}, error: 'invalid bearer token' });
  });

  it('a TokenReview without a token is refused', async (target) => {
    refused(
      target,
      await target.api.post(tokenReviews, { apiVersion: authentication, kind: 'TokenReview', spec: {} }),
      badRequest('token is required for TokenReview in authentication'),
    );
  });

  it('a token that is bound to a pod names the pod and its node', async (target) => {
    const { pod: bound } = await account(target);
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'bound', uid: bound.uid };
    const text = await token(target, { boundObjectRef });
    expect(claims(text)['kubernetes.io'].pod).toEqual({ name: 'bound', uid: bound.uid });
    const { user } = await alive(target, text);
    expect(user.extra).toMatchObject({
      'authentication.kubernetes.io/pod-name': ['bound'],
      'authentication.kubernetes.io/pod-uid': [bound.uid],
      'authentication.kubernetes.io/node-name': ['nowhere'],
    });
  });

  it('a token that is bound to a pod dies with it', async (target) => {
    await account(target);
    const { body } = await target.api.post(
      target.core('pods'),
      pod('mortal', { serviceAccountName: 'robot' }),
    );
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'mortal', uid: body.metadata.uid };
    await alive(target, await token(target, { boundObjectRef }));
    // A server may remember for some seconds what it said of a token: these it has not seen before.
    const unused = await Promise.all(Array.from({ length: 20 }, () => token(target, { boundObjectRef })));
    await target.api.delete(target.core('pods/mortal'));
    const status = await waitFor('the server knows that the pod has gone', async () => {
      const { authenticated, ...rest } = await review(target, unused.pop() ?? '');
      return authenticated ? { seen: 'authenticated' } : { met: rest };
    });
    expect(status).toEqual({
      user: {},
      error: '[invalid bearer token, service account token has been invalidated]',
    });
  });

  it('a token that is bound to a Secret names it', async (target) => {
    const { secret: bound } = await account(target);
    const text = await token(target, {
      boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'bound', uid: bound.uid },
    });
    expect(claims(text)['kubernetes.io'].secret).toEqual({ name: 'bound', uid: bound.uid });
  });

  const badRequests: [why: string, spec: object, expected: Refusal][] = [
    [
      'less than ten minutes',
      { expirationSeconds: 60 },
      invalid(
        'TokenRequest.authentication.k8s.io',
        '',
        'spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
      ),
    ],
    [
      'more than 2^32 seconds',
      { expirationSeconds: 2 ** 32 + 1 },
      invalid(
        'TokenRequest.authentication.k8s.io',
        '',
        'spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
      ),
    ],
    [
      'a pod that is not there',
      { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'nobody' } },
      notFound('pods', 'nobody'),
    ],
    [
      'another UID than the pod’s',
      {
        boundObjectRef: {
          apiVersion: 'v1',
          kind: 'Pod',
          name: 'bound',
          uid: '00000000-0000-4000-8000-000000000000',
        },
      },
      conflict(
        'Pod',
        'bound',
        'the UID in the bound object reference (UID) does not match the UID in record. The object might have been deleted and then recreated',
      ),
    ],
    [
      'a kind that cannot be bound to',
      { boundObjectRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' } },
      badRequest('cannot bind token to object of type /v1, Kind=ConfigMap'),
    ],
  ];
  for (const [why, spec, expected] of badRequests)
    it(`a token request for ${why} is refused`, async (target) => {
      await account(target);
      refused(
        target,
        await target.api.post(target.core('serviceaccounts/robot/token'), request(spec)),
        expected,
      );
    });

  it('a token request for a pod of another account is refused', async (target) => {
    await account(target);
    const { body } = await target.api.post(target.core('pods'), pod('other'));
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'other', uid: body.metadata.uid };
    refused(
      target,
      await target.api.post(target.core('serviceaccounts/robot/token'), request({ boundObjectRef })),
      badRequest(
        'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
      ),
    );
  });

  it(
    'a token request for an account that is not there is refused',
    refuses(
      ({ api, core }) => api.post(core('serviceaccounts/nobody/token'), request({})),
      notFound('serviceaccounts', 'nobody'),
    ),
  );

  it('the administrator may impersonate a user with groups', async (target) => {
    const api = await target.as({ user: 'jane', group: 'testers' });
    const { userInfo } = await whoAmI(api);
    expect([userInfo.username, userInfo.groups]).toEqual(['jane', ['testers', 'system:authenticated']]);
  });

  it('who may not impersonate is told so', async (target) => {
    const api = await nobody(target, { ...bearer(await token(target)), 'impersonate-user': 'jane' });
    refused(
      target,
      await api.get('/api/v1/namespaces'),
      forbidden(
        'namespaces',
        '',
        'User "system:serviceaccount:NAMESPACE:robot" cannot impersonate-on:user-info:list resource "namespaces" in API group "" at the cluster scope',
      ),
    );
  });

  it('impersonated groups without a user are refused', async (target) => {
    const access = await target.engine.access();
    const api = new Api({
      ...access,
      headers: async () => ({ ...(await access.headers()), 'impersonate-group': 'x' }),
    });
    target.onClose(async () => api.close());
    const { code, text } = await api.get('/api/v1/namespaces');
    expect([code, text]).toEqual([
      400,
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"requested \\u0026user.DefaultInfo{Name:\\"\\", UID:\\"\\", Groups:[]string{\\"x\\"}, Extra:map[string][]string(nil)} without impersonating a user name","reason":"BadRequest","code":400}\n',
    ]);
  });
});
