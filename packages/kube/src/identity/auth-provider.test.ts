import { expect, test } from 'vitest';
import { authProvider } from './auth-provider.ts';

const cluster = { name: 'one', server: 'https://one.example', skipTLSVerify: false };
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('an identity token that is still valid is used as it is', async () => {
  const exp = Math.floor(Date.now() / 1000) + 3_600;
  const token = `${part({ alg: 'none' })}.${part({ exp })}.signature`;
  const config = { 'id-token': token, 'idp-issuer-url': 'https://issuer.example', 'client-id': 'me' };
  const source = authProvider({ name: 'me', authProvider: { name: 'oidc', config } }, cluster);
  expect(await source.current()).toEqual({ headers: { authorization: `Bearer ${token}` } });
});

test('a provider that gives nothing is named', async () => {
  const config = {
    'cmd-path': 'no-such-command-anywhere',
    'token-key': '{.token}',
    'expiry-key': '{.expiry}',
  };
  const source = authProvider({ name: 'me', authProvider: { name: 'gcp', config } }, cluster);
  await expect(source.current()).rejects.toMatchObject({
    code: 'CredentialsUnavailable',
    message: expect.stringContaining("auth-provider of user 'me'"),
  });
});
