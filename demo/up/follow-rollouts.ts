import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { ConfigRollout } from 'trimtab/api/config-rollout.ts';
import { configRollouts } from 'trimtab/api/config-rollout.ts';
import { describeChange } from 'trimtab/view/describe-change.ts';

/** Prints lines for each change of a rollout until `signal` aborts. The state at the start is not printed. */
export async function followRollouts(
  client: KubeClient,
  log: Logger,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<void> {
  const reflector = new Reflector<ConfigRollout>({
    name: 'happenings',
    client,
    resource: configRollouts,
    projection: 'full',
    transform: (object) => object as ConfigRollout,
    indexes: {},
    log,
  });
  const running = reflector.run(signal);
  await reflector.waitForSync(signal);
  reflector.subscribe(({ before, after }) => {
    for (const line of after === undefined ? [] : describeChange(before, after)) print(line);
  });
  await running;
}
