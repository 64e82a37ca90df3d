import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { ConfigRollout } from 'trimtab/api/config-rollout.ts';
import { configRollouts } from 'trimtab/api/config-rollout.ts';
import type { Screen } from 'trimtab/cli/output/screen.ts';
import { describeChange } from 'trimtab/view/describe-change.ts';
import { rolloutHeadline } from 'trimtab/view/rollout-headline.ts';
import { colouredLine } from './coloured-line.ts';

/** Prints lines for each change of a rollout until `signal` aborts. The state at the start is not printed. */
export async function followRollouts(
  client: KubeClient,
  log: Logger,
  signal: AbortSignal,
  screen: Screen,
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
    if (after === undefined) return;
    const { health } = rolloutHeadline(after);
    for (const line of describeChange(before, after)) print(colouredLine(line, screen, health));
  });
  await running;
}
