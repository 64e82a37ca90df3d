import type { KubeClient } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, it } from 'vitest';
import type { Pod, PodStatus } from '../../objects/pod.ts';
import { StatusWriter } from './status-writer.ts';

function scene() {
  const clock = new ManualClock();
  const written: (string | undefined)[] = [];
  const client = {
    async patch(_: unknown, __: unknown, { body }: { body: { status: PodStatus } }) {
      written.push(body.status.podIP ?? body.status.phase);
    },
  } as unknown as KubeClient;
  const pod: Pod = { metadata: { name: 'web', namespace: 'shop', uid: 'u' }, spec: { containers: [] } };
  const { signal } = new AbortController();
  const ports = () => undefined;
  return {
    clock,
    written,
    writer: new StatusWriter({ client, clock, log: silentLogger, pod, ports, signal }),
  };
}

it('a container that starts at once costs one write', async () => {
  const { clock, written, writer } = scene();
  writer.want({ phase: 'Pending' });
  await clock.advance(40);
  writer.want({ phase: 'Pending', podIP: '127.1.0.1' });
  await clock.advance(40);
  writer.want({ phase: 'Running' });
  await writer.flush();
  await clock.advance(1_000);
  expect(written).toEqual(['Running']);
});

it('a minor change is written after a short delay', async () => {
  const { clock, written, writer } = scene();
  writer.want({ phase: 'Pending' });
  await clock.advance(60);
  writer.want({ phase: 'Pending', podIP: '127.1.0.1' });
  await clock.advance(60);
  expect(written).toEqual(['127.1.0.1']);
});

it('a flush writes the latest status at once', async () => {
  const { written, writer } = scene();
  writer.want({ phase: 'Pending' });
  await writer.flush();
  expect(written).toEqual(['Pending']);
});
