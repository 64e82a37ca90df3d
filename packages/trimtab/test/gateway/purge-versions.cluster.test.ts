import type { KubeClient } from '@trimtab/kube/client.ts';
import { deployments, pods, replicaSets, secrets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret } from '@trimtab/test-bed/objects/pod-template.ts';
import { role, roleBinding } from '@trimtab/test-bed/objects/rights.ts';
import { type Secret, secret } from '@trimtab/test-bed/objects/secret.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { annotations, labels } from '../../src/api/names.ts';
import { purgeVersion } from '../../src/versions/writes/purge-versions.ts';
import { managed } from '../support/managed.ts';
import { type Moment, mortalClient } from '../support/mortal-client.ts';
import { lineOf, settled } from '../support/settled.ts';
import { CurrentScene } from './support/current-scene.ts';

const engine = await currentEngine();
let scene: CurrentScene;

beforeAll(async () => {
  scene = await CurrentScene.start(engine);
});

afterAll(async () => {
  await scene?.[Symbol.asyncDispose]();
  await engine.close();
});

/** A Secret whose versions 1.0.0 to 1.0.2 a Deployment has run, one after the other; 1.0.2 is current. */
async function leaked(config: string, workload: string): Promise<void> {
  const { story } = scene;
  await story.shortBake([`secret/${config}`], { bakeSeconds: 0 });
  await story.given.objects(
    secret(config, { password: 'hunter1', user: 'alice' }),
    deployment(workload, envFromSecret(config), managed),
  );
  await settled(story, '1.0.0', [workload], `secret-${config}`);
  for (const [version, password] of [
    ['1.0.1', 'hunter2'],
    ['1.0.2', 'hunter3'],
  ] as const) {
    await story.when.edited<Secret>(secrets, config, (live) => {
      live.data = secret(config, { password, user: 'alice' }).data ?? {};
    });
    await settled(story, version, [workload], `secret-${config}`);
  }
  await story.when.kubectl('rollout', 'status', `deployment/${workload}`);
  await waitFor('the pods of older versions are gone', async () => {
    const { items } = await story.client.list(pods, { namespace: scene.namespace });
    const current = await objectOf(config, '1.0.2');
    const others = items.filter((pod) => JSON.stringify(pod).includes(`"${config}-`)).length;
    const running = items.filter((pod) => JSON.stringify(pod).includes(`"${current}"`)).length;
    return others === running && running > 0 ? { met: true } : { seen: `${others - running} of ${others}` };
  });
}

async function versionsOf(config: string): Promise<Secret[]> {
  const labelSelector = `${labels.config}=${config},${labels.versionOf}`;
  return (await scene.story.client.list<Secret>(secrets, { namespace: scene.namespace, labelSelector })).items;
}

const nameOf = ({ metadata }: Secret) => metadata.annotations?.[annotations.version] ?? '';
const namesOf = async (config: string) => (await versionsOf(config)).map(nameOf).sort();

async function objectOf(config: string, version: string): Promise<string> {
  const found = (await versionsOf(config)).find((each) => nameOf(each) === version);
  return found?.metadata.name ?? '';
}

const purge = (config: string, rest: string, person: 'alice' | 'bob' = 'alice') =>
  scene.call(person, { method: 'DELETE', kind: 'secrets', config, rest });

test('a leaked value that only old ReplicaSets name is purged, and what runs is not', async () => {
  await leaked('login', 'web');
  const plain = await purge('login', '/1.0.0');
  expect(plain.json.message).toContain('in use by pods, ReplicaSets');
  expect(plain.status).toBe(409);

  const dry = await purge('login', '/1.0.0?purge=true&dryRun=All');
  expect(dry.json.message).toContain('version "1.0.0" of secrets "login" was purged (dry run)');
  expect(await namesOf('login')).toEqual(['1.0.0', '1.0.1', '1.0.2']);
  const old = await objectOf('login', '1.0.0');
  const kept = await scene.story.client.get(secrets, { namespace: scene.namespace, name: old });
  expect(kept.metadata.annotations).not.toHaveProperty([annotations.purge]);

  const done = await purge('login', '/1.0.0?purge=true');
  expect(done.status).toBe(200);
  expect(done.json).toMatchObject({ kind: 'Status', status: 'Success', details: { kind: 'secrets', name: 'login' } });
  const [, replicaSet = ''] = /named by (replicaset\/web-\S+): kubectl rollout undo/.exec(done.json.message) ?? [];
  expect(replicaSet).not.toBe('');
  expect(done.headers.get('warning')).toContain(`${replicaSet}: kubectl rollout undo to one of them starts no pods`);
  expect(done.headers.get('warning')).toContain('Secret login itself still has values of version 1.0.0, in \\"user\\"');
  expect(done.text).not.toMatch(/hunter|aHVudGVy/);
  expect(await namesOf('login')).toEqual(['1.0.1', '1.0.2']);
  expect((await purge('login', '/1.0.0?purge=true')).status).toBe(404);
  const again = await scene.call('alice', {
    ...{ method: 'POST', kind: 'secrets', config: 'login', rest: '/1.0.0' },
    body: { data: {} },
  });
  expect(again.json).toMatchObject({ code: 409, reason: 'AlreadyExists' });

  const running = await purge('login', '/1.0.2?purge=true');
  expect(running.json.message).toContain('the version is current; activate another version first');
  expect(running.json.message).toContain('The config itself has the content of this version: edit secret/login');
  expect(running.status).toBe(409);
  expect(await namesOf('login')).toEqual(['1.0.1', '1.0.2']);
});

test('kubectl rollout undo to a ReplicaSet whose version was purged is reported, and the next edit recovers', async () => {
  const { story } = scene;
  await leaked('undone', 'api');
  const object = await objectOf('undone', '1.0.1');
  expect((await purge('undone', '/1.0.1?purge=true')).status).toBe(200);
  await story.when.kubectl('rollout', 'undo', 'deployment/api');
  await waitFor('the template names the purged version', async () => {
    const found = await story.client.get(deployments, { namespace: scene.namespace, name: 'api' });
    return JSON.stringify(found).includes(`"${object}"`) ? { met: true } : { seen: 'it does not' };
  });
  const rollout = await story.rolloutIs(
    'the workload is shown',
    (status) => lineOf(status, 'api')?.state !== 'Healthy',
    'secret-undone',
  );
  console.log(JSON.stringify(rollout.status, null, 1));
});
