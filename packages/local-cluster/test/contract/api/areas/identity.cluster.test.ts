import { expect } from 'vitest';
import { authentication, bearer, claims, nobody, selfReviews, token, whoAmI } from '../accounts.ts';
import { contract } from '../contract.ts';
import { Api } from '../http.ts';
import { forbidden, refused } from '../statuses.ts';

contract('identity', (it) => {
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
