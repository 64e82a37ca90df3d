import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { bedUnderTest, eventually, type Kubectl, kubectlInFreshNamespace } from './testing/kubectl.ts';

interface AuditEntry {
  verb: string;
  user: { username: string };
  impersonatedUser?: { username: string };
  objectRef?: { resource?: string; namespace?: string; name?: string };
  responseStatus?: { code: number };
  requestObject?: unknown;
}

describe('the control plane', () => {
  const bed = bedUnderTest();
  let kubectl: Kubectl;
  let namespace: string;
  beforeAll(async () => {
    ({ kubectl, namespace } = await kubectlInFreshNamespace(bed));
  });

  const auditOf = (name: string): AuditEntry[] =>
    readFileSync(bed.auditLog, 'utf8')
      .split('\n')
      .slice(0, -1) // the last line may be incomplete
      .map((line) => JSON.parse(line) as AuditEntry)
      .filter((entry) => entry.objectRef?.namespace === namespace && entry.objectRef.name === name);

  test('RBAC refuses what nobody allowed', async () => {
    const asked = kubectl('auth', 'can-i', 'get', 'secrets', '--as=system:serviceaccount:default:default');
    await expect(asked).rejects.toThrow();
  });

  test('the audit log names who wrote what, and keeps the values of Secrets to itself', async () => {
    await kubectl('create', 'secret', 'generic', 'keys', '--from-literal=password=hunter2');
    await eventually('the audit entry', () => auditOf('keys').some((entry) => entry.verb === 'create'));
    const [entry] = auditOf('keys');
    expect(entry).toMatchObject({ user: { username: 'admin' }, responseStatus: { code: 201 } });
    expect(JSON.stringify(auditOf('keys'))).not.toContain(Buffer.from('hunter2').toString('base64'));
  });

  test('the audit log tells the impersonated user and the refusal', async () => {
    const forged = kubectl('create', 'configmap', 'forged', '--as=mallory', '--from-literal=a=b');
    await expect(forged).rejects.toThrow();
    await eventually('the audit entry', () =>
      readFileSync(bed.auditLog, 'utf8')
        .split('\n')
        .some((line) => line.includes('"mallory"') && line.includes('"code":403')),
    );
  });

  test('the audit log holds the patch of a workload', async () => {
    await kubectl('create', 'deployment', 'web', '--image=any');
    await kubectl('set', 'image', 'deployment/web', '*=other');
    await eventually('the audit entry of the patch', () =>
      auditOf('web').some(
        (entry) => entry.verb === 'patch' && JSON.stringify(entry.requestObject).includes('other'),
      ),
    );
  });

  test('a past that the server has forgotten is gone, as on any cluster that has lived for a while', async () => {
    const watch = `/api/v1/namespaces/${namespace}/configmaps?watch=true&resourceVersion=1&timeoutSeconds=5`;
    expect(await kubectl('get', '--raw', watch)).toContain('"code":410');
  });

  test('garbage collection takes the pods of a deleted deployment', async () => {
    await kubectl('create', 'deployment', 'short', '--image=any', '--replicas=2');
    await kubectl('rollout', 'status', 'deployment/short', '--timeout=30s');
    await kubectl('delete', 'deployment', 'short');
    await eventually(
      'the pods to be deleted',
      async () => (await kubectl('get', 'pods', '-l', 'app=short', '-o', 'name')) === '',
    );
  });
});
