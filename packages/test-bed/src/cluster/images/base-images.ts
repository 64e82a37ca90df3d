import { type Bed, containersOf } from '../bed.ts';
import { ctr } from '../node/ctr.ts';
import { run } from '../process/run.ts';
import { busyboxLayer, nodeLayer, pauseLayer } from './base-layers.ts';
import { importImage } from './import-image.ts';
import { fullImageName, type ImageDescription } from './oci-image.ts';

/** Image of the pause container, the first process of every pod. */
export const pauseImage = fullImageName('bed/pause:1');

/** Loads the missing base images of a level-2 bed. */
export async function ensureBaseImages(bed: Bed): Promise<void> {
  const { images } = containersOf(bed);
  const loaded = (await run(ctr(bed, 'images', 'ls', '-q'))).split('\n');
  const makers: Record<string, () => Promise<Omit<ImageDescription, 'names'>>> = {
    [pauseImage]: async () => ({
      layers: [await pauseLayer(bed)],
      entrypoint: ['/pause'],
      user: '65535:65535',
    }),
    [fullImageName(images.busybox)]: async () => ({ layers: [await busyboxLayer()], command: ['/bin/sh'] }),
    [fullImageName(images.node)]: async () => ({
      layers: [await busyboxLayer(), await nodeLayer()],
      command: ['/usr/bin/node'],
    }),
  };
  for (const [name, make] of Object.entries(makers))
    if (!loaded.includes(name)) await importImage(bed, { names: [name], ...(await make()) });
}
