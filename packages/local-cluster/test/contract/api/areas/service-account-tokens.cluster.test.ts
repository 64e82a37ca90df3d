import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import {
  account,
  authentication,
  bearer,
  claims,
  nobody,
  request,
  type TokenStatus,
  token,
  whoAmI,
} from '../accounts.ts';
import { contract } from '../contract.ts';
import { nowhere, pod } from '../objects.ts';
import { badRequest, conflict, invalid, notFound, type Refusal, refused, refuses } from '../statuses.ts';
import type { Target } from '../target.ts';

const tokenReviews = `/apis/${authentication}/tokenreviews`;

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

/** Waits until a token is valid: a server may observe the bound pod only after it has issued the token. */
const alive = (target: Target, text: string) =>
  waitFor('the token is good', async () => {
    const status = await review(target, text);
    return status.authenticated ? { met: status } : { seen: String(status.error) };
  });

contract('service account tokens', (it) => {
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
      'authentication.kubernetes.io/node-name': [nowhere(target)],
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
    // A server may cache the result of a token review for some seconds, so each review needs a new token.
    const unused = await Promise.all(Array.from({ length: 20 }, () => token(target, { boundObjectRef })));
    await target.api.delete(target.core('pods/mortal'));
    const status = await waitFor(
      'the server knows that the pod has gone',
      async () => {
        const { authenticated, ...rest } = await review(target, unused.pop() ?? '');
        return authenticated ? { seen: 'authenticated' } : { met: rest };
      },
      // Each attempt uses one token, and they have to last for as long as a busy server may need.
      { everyMs: 500 },
    );
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
});
