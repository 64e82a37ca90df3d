import { configMaps, deployments, secrets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, mountingSecret } from '@trimtab/test-bed/objects/pod-template.ts';
import { type Secret, secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations, labels, versionSecretType } from '../../src/api/names.ts';
import { rolloutName } from '../../src/core/version/object-names.ts';
import { configRollout } from '../support/config-rollout.ts';
import { managed } from '../support/managed.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed);
const named = (version: string) => annotated({ [annotations.version]: version });

test('people name versions as they like: with spaces, Unicode, 200 characters', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }, named('initial release')), web());
  await settled(release, 'initial release', ['web']);
  const long = 'v'.repeat(200);
  for (const version of ['größer, schöner 🚀', long]) {
    await release.when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
      foo.data = { color: version };
      named(version)(foo);
    });
    const { status } = await settled(release, version, ['web']);
    const web = await release.object<Deployment>(deployments, 'web');
    expect(mountedConfigMap(web)).toBe(status?.current?.object);
  }
  const copies = await release.copies();
  expect(new Set(copies.keys())).toEqual(new Set(['initial release', 'größer, schöner 🚀', long]));
  expect(copies.get(long)?.data).toEqual({ color: long });

  // Without the annotation, automatic names start at 1.0.0.
  await release.when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
    foo.data = { color: 'red' };
    delete foo.metadata.annotations?.[annotations.version];
  });
  await settled(release, '1.0.0', ['web']);
  await release.when.kubectl(
    'patch',
    'configrollout/configmap-foo',
    '--type=merge',
    '--patch={"spec":{"version":"größer, schöner 🚀"}}',
  );
  await settled(release, 'größer, schöner 🚀', ['web']);
});

test('configs with names of 253 characters that differ at their ends only are released side by side', async () => {
  await using release = await ReleaseStory.start(engine);
  const names = ['a', 'b'].map((end) => `${'n'.repeat(252)}${end}`);
  for (const name of names) {
    await release.given.object(configRollout(name, { bakeSeconds: 1 }));
    const volume = { name: 'config', configMap: { name } };
    const app = deployment(`web-${name.at(-1)}`, managed, ({ spec }) => {
      spec.template.spec.volumes = [volume];
    });
    await release.given.objects(configMap(name, { end: 'first' }), app);
  }
  for (const [index, name] of names.entries()) {
    const rollout = rolloutName('ConfigMap', name);
    await settled(release, '1.0.0', [`web-${'ab'[index]}`], rollout);
    await release.when.edited<ConfigMap>(configMaps, name, (it) => {
      it.data = { end: name.slice(-1) };
    });
    const { status } = await settled(release, '1.0.1', [`web-${'ab'[index]}`], rollout);
    const copy = await release.object<ConfigMap>(configMaps, status?.current?.object ?? '');
    expect(copy.data).toEqual({ end: name.slice(-1) });
    expect(copy.metadata.annotations?.[annotations.config]).toBe(name);
    const original = await release.object(configMaps, name);
    expect(copy.metadata.labels?.[labels.config]).toBe(original.metadata.labels?.[labels.config]);
  }
});

test('a copy holds everything that the config holds: bytes, 1 MiB, 1,000 keys, nothing at all', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.shortBake(['foo'], { bakeSeconds: 0 });
  await release.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(release, '1.0.0', ['web']);
  const contents: Pick<ConfigMap, 'data' | 'binaryData'>[] = [
    { data: { text: 'a' }, binaryData: { bytes: Buffer.from([0, 255, 254, 10]).toString('base64') } },
    { data: { a: 'x'.repeat(1024 * 1024 - 1) } },
    { data: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key-${i}`, `${i}`])) },
    {},
  ];
  for (const [index, content] of contents.entries()) {
    await release.when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
      delete foo.data;
      delete foo.binaryData;
      Object.assign(foo, content);
    });
    const { status } = await settled(release, `1.0.${index + 1}`, ['web']);
    const copy = await release.object<ConfigMap>(configMaps, status?.current?.object ?? '');
    expect({ data: copy.data, binaryData: copy.binaryData }).toEqual({
      data: content.data,
      binaryData: content.binaryData,
    });
    expect(copy.immutable).toBe(true);
  }
});

test('Secrets of any type are copied: opaque, TLS, basic-auth', async () => {
  await using release = await ReleaseStory.start(engine);
  const tls = { 'tls.crt': 'certificate', 'tls.key': 'key' };
  const made: [string, Record<string, string>, string][] = [
    ['opaque', { token: 'a' }, 'Opaque'],
    ['tls', tls, 'kubernetes.io/tls'],
    ['login', { username: 'anna', password: 'b' }, 'kubernetes.io/basic-auth'],
  ];
  const ofType = (type: string) => (it: Secret) => {
    it.type = type;
  };
  const mounts = made.map(([name]) => mountingSecret(name, `/etc/${name}`));
  await release.shortBake(made.map(([name]) => `secret/${name}`));
  await release.given.objects(
    ...made.map(([name, values, type]) => secret(name, values, ofType(type))),
    deployment('web', ...mounts, managed),
  );
  for (const [name, values, type] of made) {
    const { status } = await settled(release, '1.0.0', ['web'], `secret-${name}`);
    const copy = await release.object<Secret>(secrets, status?.current?.object ?? '');
    expect(copy).toMatchObject({ type: versionSecretType, immutable: true, data: secret('', values).data });
    expect(copy.metadata.annotations?.[annotations.originalType]).toBe(type);
  }
  await release.when.edited<Secret>(secrets, 'tls', (it) => {
    it.data = secret('', { ...tls, 'tls.key': 'another' }).data ?? {};
  });
  await settled(release, '1.0.1', ['web'], 'secret-tls');
  expect(release.controller.log).not.toMatch(/another|YW5vdGhlcg/);
});
