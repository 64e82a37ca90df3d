import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import { expect, test } from 'vitest';
import { notFound } from '../versions/refusal.ts';
import { CommandFailure, reportFailure } from './failure.ts';

function report(error: unknown): { text: string; code: number } {
  let text = '';
  const code = reportFailure(error, { stderr: { write: (part) => (text += part) } });
  return { text, code };
}

const status = (code: number, reason: string, message: string) =>
  new ApiError(code, { apiVersion: 'v1', kind: 'Status', reason, message });

test('a missing right names the verb and the resource', () => {
  const message =
    'configrollouts.trimtab.dev "configmap-foo" is forbidden: User "ann" cannot patch resource "configrollouts" in API group "trimtab.dev" in the namespace "shop"';
  expect(report(status(403, 'Forbidden', message))).toEqual({
    text: `Error from server (Forbidden): ${message}\nhint: this needs the verb "patch" on "configrollouts.trimtab.dev" in namespace shop; ask your administrator to grant it\n`,
    code: 1,
  });
  const everywhere =
    'pods is forbidden: User "ann" cannot list resource "pods" in API group "" at the cluster scope';
  expect(report(status(403, 'Forbidden', everywhere)).text).toContain(
    'the verb "list" on "pods" in all namespaces',
  );
  expect(report(status(403, 'Forbidden', 'a policy says no')).text).toBe(
    'Error from server (Forbidden): a policy says no\n',
  );
});

test('errors of the connection and the credentials read as those of kubectl', () => {
  const refused = new NetworkError('ECONNREFUSED', 'no', 'cannot connect to https://127.0.0.1:1/api');
  expect(report(refused).text).toContain(
    'The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n',
  );
  expect(report(new NetworkError('ETIMEDOUT', 'maybe', 'no response')).text).toBe(
    'Unable to connect to the server: no response (ETIMEDOUT)\nhint: a write may have taken effect; check before you repeat the command\n',
  );
  expect(report(status(401, 'Unauthorized', 'Unauthorized')).text).toContain(
    'error: You must be logged in to the server (Unauthorized)\nhint: ',
  );
});

test('exit codes tell usage errors from failures', () => {
  expect(report(new OperationalError(errors.ConfigInvalid, 'no such flag')).code).toBe(2);
  expect(report(new OperationalError(errors.CredentialsUnavailable, 'no token')).code).toBe(1);
  expect(report(new CommandFailure('rolled back', { exitCode: 3, hint: 'look' }))).toEqual({
    text: 'error: rolled back\nhint: look\n',
    code: 3,
  });
});

test('a refusal has the remedy of the command line', () => {
  const refusal = notFound(
    'configmaps "foo" not found',
    { kind: 'configmaps', name: 'foo' },
    'create-config',
  );
  expect(report(refusal).text).toBe(
    'Error from server (NotFound): configmaps "foo" not found\nhint: create it with `trimtab create configmap` or `trimtab create secret generic`\n',
  );
});

test('a defect of the program is not hidden', () => {
  expect(() => report(new TypeError('undefined is not a function'))).toThrow(TypeError);
});

test('a cluster without the kinds of Trimtab gets a hint how to install it', () => {
  const request = 'POST /apis/trimtab.dev/v1alpha1/namespaces/default/configrollouts';
  const message = 'the server could not find the requested resource';
  const body = { apiVersion: 'v1', kind: 'Status', message, reason: 'NotFound' } as const;
  expect(report(new ApiError(404, body, { request })).text).toContain(
    'hint: install it with `trimtab manifests | kubectl apply -f -`',
  );
  const missing = { ...body, details: { name: 'configmap-foo' } };
  expect(report(new ApiError(404, missing, { request })).text).not.toContain('hint');
});
