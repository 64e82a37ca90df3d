import { existsSync } from 'node:fs';
import { findImage } from '@trimtab/local-cluster/kubelet/images/catalogue.ts';
import { expect, test } from 'vitest';
import { declaredPrograms, imagesFrom } from './images.ts';

test.each(['trimtab-agent', 'trimtab-agent:0.1', 'atombender/k8s-config-controller:latest'])(
  'the image %s is the agent, from its sources',
  (name) => {
    const [program, script = ''] = findImage(imagesFrom([]), name)?.entrypoint ?? [];
    expect(program).toBe(process.execPath);
    expect(script).toMatch(/trimtab-agent\.ts$/);
    expect(existsSync(script)).toBe(true);
  },
);

test('the agent is at the paths of its images, too', () => {
  const entrypoint = findImage(imagesFrom([]), 'trimtab-agent')?.entrypoint;
  expect([...declaredPrograms]).toEqual([
    ['/trimtab-agent', entrypoint],
    ['/srv/config-controller', entrypoint],
  ]);
});

test('--image replaces an image', () => {
  expect(findImage(imagesFrom(['trimtab-agent=my-agent -v']), 'trimtab-agent:1')).toEqual({
    entrypoint: ['my-agent'],
    cmd: ['-v'],
  });
});
