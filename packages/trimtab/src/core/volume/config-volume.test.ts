import { describe, expect, test } from 'vitest';
import type { PodSpec, PodTemplate } from '../../api/pod-template.ts';
import { mountConfig, unmountConfig, type VolumeChange, type VolumeRequest } from './config-volume.ts';

const foo: VolumeRequest = {
  ...{ kind: 'ConfigMap', config: 'foo', containers: '*' },
  names: new Set(['foo', 'foo-abcdefghij']),
};

function specOf(change: VolumeChange): PodSpec | undefined {
  if ('problem' in change) throw new Error(change.problem);
  return change.template.spec;
}

function template(...containers: string[]): PodTemplate {
  return { spec: { containers: containers.map((name) => ({ name })) } };
}

/** What each container mounts, as `path:volume`. */
function mounts(change: VolumeChange): Record<string, string[]> {
  const { containers = [], initContainers = [] } = specOf(change) ?? {};
  return Object.fromEntries(
    [...initContainers, ...containers].map(({ name, volumeMounts = [] }) => [
      name,
      volumeMounts.map((each) => `${each.mountPath}:${each.name}${each.subPath ? `/${each.subPath}` : ''}`),
    ]),
  );
}

describe('mounting a config', () => {
  test('adds a volume, and a mount to every container', () => {
    const before = template('app', 'proxy');
    before.spec = { ...before.spec, initContainers: [{ name: 'init' }] };
    const copy = structuredClone(before);
    const change = mountConfig(before, foo);
    expect(change).toMatchObject({ changed: true });
    expect(specOf(change)?.volumes).toEqual([{ name: 'foo', configMap: { name: 'foo' } }]);
    const mounted = ['/etc/foo:foo'];
    expect(mounts(change)).toEqual({ init: mounted, app: mounted, proxy: mounted });
    expect(before).toEqual(copy);
  });

  test('of a Secret uses secretName', () => {
    const change = mountConfig(template('app'), { ...foo, kind: 'Secret' });
    expect(specOf(change)?.volumes).toEqual([{ name: 'foo', secret: { secretName: 'foo' } }]);
  });

  test.each([
    ['app', ['app']],
    ['p*', ['proxy', 'probe']],
    ['*o*e,app', ['app', 'probe']],
    ['proxy,app', ['app', 'proxy']],
  ])('into the containers %s only', (containers, chosen) => {
    const change = mountConfig(template('app', 'proxy', 'probe'), { ...foo, containers });
    const mounted = Object.entries(mounts(change)).filter(([, each]) => each.length > 0);
    expect(mounted.map(([name]) => name)).toEqual(chosen);
  });

  test('into a container that does not exist is refused, with the names of those that do', () => {
    expect(mountConfig(template('app', 'proxy'), { ...foo, containers: 'x*' })).toEqual({
      problem: 'the pod template has no container that matches "x*"',
      remedy: 'its containers are app, proxy',
    });
  });

  test('a second time changes nothing, also when the template names a version of the config', () => {
    const once = mountConfig(template('app'), foo);
    if ('problem' in once) throw new Error(once.problem);
    expect(mountConfig(once.template, { ...foo, mountPath: '/etc/foo/' })).toMatchObject({ changed: false });
    const [volume] = once.template.spec?.volumes ?? [];
    if (volume?.configMap) volume.configMap.name = 'foo-abcdefghij';
    expect(mountConfig(once.template, foo)).toMatchObject({ changed: false });
    const more = mountConfig(once.template, { ...foo, mountPath: '/config' });
    expect(mounts(more)).toEqual({ app: ['/etc/foo:foo', '/config:foo'] });
    expect(specOf(more)?.volumes).toEqual([{ name: 'foo', configMap: { name: 'foo-abcdefghij' } }]);
  });

  test('does not take another config for a version', () => {
    const before = template('app');
    before.spec = { ...before.spec, volumes: [{ name: 'v', configMap: { name: 'foo-production' } }] };
    expect(specOf(mountConfig(before, foo))?.volumes).toHaveLength(2);
  });

  test('does not use a volume with some of its keys only', () => {
    const before = template('app');
    const part = { name: 'part', configMap: { name: 'foo', items: [{ key: 'a', path: 'a' }] } };
    before.spec = { ...before.spec, volumes: [part] };
    expect(mounts(mountConfig(before, foo))).toEqual({ app: ['/etc/foo:foo'] });
    expect(mounts(mountConfig(before, { ...foo, volumeName: 'part' }))).toEqual({ app: ['/etc/foo:part'] });
  });

  test('with a subPath mounts one key', () => {
    const change = mountConfig(template('app'), { ...foo, subPath: 'a.yml', mountPath: '/app/a.yml' });
    expect(mounts(change)).toEqual({ app: ['/app/a.yml:foo/a.yml'] });
  });

  test('names the volume after the config, in a way that is valid and free', () => {
    const name = (config: string, taken: string[]) => {
      const before = template('app');
      before.spec = { ...before.spec, volumes: taken.map((each) => ({ name: each, emptyDir: {} })) };
      const change = mountConfig(before, { ...foo, config, names: new Set([config]) });
      return specOf(change)?.volumes?.at(-1)?.name;
    };
    expect(name('my.app.conf', [])).toBe('my-app-conf');
    expect(name('foo', ['foo'])).toBe('configmap-foo');
    expect(name('foo', ['foo', 'configmap-foo'])).toBe('foo-2');
    expect(name(`${'x'.repeat(54)}.${'y'.repeat(100)}`, [])).toBe('x'.repeat(54));
  });

  test('is refused where something else is mounted, or under the name of another volume', () => {
    const before: PodTemplate = {
      spec: {
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [{ name: 'app', volumeMounts: [{ name: 'data', mountPath: '/etc/foo' }] }],
      },
    };
    expect(mountConfig(before, foo)).toMatchObject({
      problem: 'container "app" mounts volume "data" at /etc/foo already',
    });
    expect(mountConfig(before, { ...foo, mountPath: '/x', volumeName: 'data' })).toMatchObject({
      problem: 'the pod template has a volume "data" that is not of ConfigMap foo',
    });
    const once = mountConfig(template('app'), foo);
    if ('problem' in once) throw new Error(once.problem);
    expect(mountConfig(once.template, { ...foo, subPath: 'a' })).toHaveProperty('problem');
  });
});

describe('removing the mounts of a config', () => {
  function mountedTwice(): PodTemplate {
    return {
      spec: {
        volumes: [
          { name: 'foo', configMap: { name: 'foo-abcdefghij' } },
          { name: 'data', emptyDir: {} },
        ],
        containers: ['app', 'proxy'].map((name) => ({
          name,
          volumeMounts: [
            { name: 'foo', mountPath: '/etc/foo' },
            { name: 'foo', mountPath: '/a', subPath: 'a' },
            { name: 'data', mountPath: '/data' },
          ],
        })),
      },
    };
  }

  test('removes them all, and the volume', () => {
    const change = unmountConfig(mountedTwice(), foo);
    expect(mounts(change)).toEqual({ app: ['/data:data'], proxy: ['/data:data'] });
    expect(specOf(change)?.volumes).toEqual([{ name: 'data', emptyDir: {} }]);
  });

  test('keeps the volume while a container mounts it', () => {
    const change = unmountConfig(mountedTwice(), { ...foo, containers: 'app', mountPath: '/etc/foo' });
    expect(mounts(change)['app']).toEqual(['/a:foo/a', '/data:data']);
    expect(specOf(change)?.volumes).toHaveLength(2);
    const one = unmountConfig(mountedTwice(), { ...foo, subPath: 'a' });
    expect(mounts(one)['proxy']).toEqual(['/etc/foo:foo', '/data:data']);
  });

  test('leaves no empty lists behind', () => {
    const once = mountConfig(template('app'), foo);
    if ('problem' in once) throw new Error(once.problem);
    expect(unmountConfig(once.template, foo)).toMatchObject({ template: template('app'), changed: true });
  });

  test('of a config that is not mounted changes nothing', () => {
    expect(unmountConfig(template('app'), foo)).toMatchObject({ changed: false });
    expect(unmountConfig(mountedTwice(), { ...foo, volumeName: 'other' })).toMatchObject({ changed: false });
  });
});
