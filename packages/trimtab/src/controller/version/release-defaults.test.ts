import type { KubeClient } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import { expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import { ReleaseDefaults } from './release-defaults.ts';

function scene(usual: 'Auto' | 'Locked' = 'Auto') {
  const found = new Map<string, string | undefined>();
  const reads: string[] = [];
  const state = { forbidden: false };
  const client = {
    async get(_: unknown, { name }: { name: string }) {
      reads.push(name);
      if (state.forbidden) throw new ApiError(403, { message: `namespaces "${name}" is forbidden` } as never);
      const value = found.get(name);
      return { metadata: { name, annotations: value === undefined ? {} : { [annotations.release]: value } } };
    },
  } as unknown as Pick<KubeClient, 'get'>;
  const defaults = new ReleaseDefaults({ client, log: silentLogger, usual });
  return { found, reads, state, of: (namespace: string) => defaults.of(namespace) };
}

test('the annotation of the namespace decides, then the installation', async () => {
  const { found, of } = scene('Locked');
  found.set('shop', 'manual');
  expect(await of('shop')).toBe('Manual');
  expect(await of('web')).toBe('Locked');
});

test('nothing is released by itself where the annotation is not valid', async () => {
  const { found, of } = scene();
  found.set('shop', 'manul');
  expect(await of('shop')).toBe('Manual');
});

test('one read serves all configs that opt in together, and a change counts at once', async () => {
  const { found, reads, of } = scene();
  await Promise.all([of('shop'), of('shop'), of('shop')]);
  expect(reads).toEqual(['shop']);
  found.set('shop', 'manual');
  expect(await of('shop')).toBe('Manual');
});

test('a namespace that cannot be read has no release mode, and is read again', async () => {
  const { state, of } = scene();
  state.forbidden = true;
  await expect(of('shop')).rejects.toThrow('forbidden');
  state.forbidden = false;
  expect(await of('shop')).toBe('Auto');
});
