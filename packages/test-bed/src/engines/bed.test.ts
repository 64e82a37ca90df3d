import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBed } from './bed.ts';

test('without a bed, the error says how to get one', async () => {
  await expect(readBed(undefined)).rejects.toThrow(/npm run test:cluster.*npm run cluster -- up/);
  await expect(readBed('/no/such/bed.json')).rejects.toThrow(/\/no\/such\/bed.json.*npm run test:cluster/);
});

test('a bed.json that lacks something says what it needs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trimtab-test-'));
  try {
    const file = join(folder, 'bed.json');
    await writeFile(file, '{"name":"x","level":3}');
    await expect(readBed(file)).rejects.toThrow(/needs name, level \(1 or 2\), kubeconfig and kubectl/);
    await writeFile(file, '{"name":"x","level":1,"kubeconfig":"k","kubectl":"c","more":1}');
    expect(await readBed(file)).toEqual({ name: 'x', level: 1, kubeconfig: 'k', kubectl: 'c' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
