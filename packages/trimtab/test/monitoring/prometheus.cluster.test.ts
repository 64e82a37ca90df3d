import { readFileSync } from 'node:fs';
import path from 'node:path';
import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { GatewayProcess } from '../gateway/support/gateway-process.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';
import { hasProgram } from './support/has-program.ts';
import { Prometheus } from './support/prometheus.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const monitoring = path.resolve(import.meta.dirname, '../../../../deploy/monitoring');

interface Panel {
  type: string;
  title: string;
  targets?: { expr: string }[];
}

const panels: Panel[] = JSON.parse(readFileSync(path.join(monitoring, 'dashboard.json'), 'utf8')).panels;
/** Panels of what did not happen here. */
const empty = [
  'Acknowledgements',
  'Failed reconciliations',
  'Notifications',
  'Oldest notification that waits',
];

describe.runIf(hasProgram('prometheus'))('with Prometheus', () => {
  test('each panel of the dashboard shows data of real programs, a rollback fires its alert, and no metric names an object of a user', {
    timeout: 120_000,
  }, async () => {
    await using it = await installedStory(engine);
    await using _ = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await it.shortBake(['checkout'], { bakeSeconds: 0 });
    const web = deployment('basket', mountingConfigMap('checkout', '/etc/c'), managed, runningTheApp);
    await it.given.objects(configMap('checkout', { color: 'blue' }), web);
    await settled(it, '1.0.0', ['basket'], 'configmap-checkout');
    const gateway = await GatewayProcess.start(engine, { homeNamespace: it.namespace });
    try {
      const urls = {
        'trimtab-controller': healthUrl(it.controller.log),
        'trimtab-gateway': gateway.healthUrl,
      };
      await using prometheus = await Prometheus.start(path.join(monitoring, 'rules.yaml'), urls);
      expect(await prometheus.firing()).toEqual([]);

      const address = await gateway.address(engine, it.namespace);
      const kubeconfig = await engine.kubeconfigOf(
        { serviceAccount: 'default', namespace: it.namespace },
        address,
      );
      const askGateway = () =>
        kubectl(engine, ['get', 'configmaps'], { namespace: it.namespace, kubeconfig });
      const edit = (data: Record<string, string>) => it.when.edited(configMaps, 'checkout', withData(data));
      await askGateway();
      await edit({ color: 'green' });
      await settled(it, '1.0.1', ['basket'], 'configmap-checkout');
      await edit({ color: 'white' });
      await settled(it, '1.0.2', ['basket'], 'configmap-checkout');
      await edit({ color: 'red', basket: 'crash-loop' });
      await askGateway();
      await it.rolloutIs('1.0.3 is rolled back', ({ phase }) => phase === 'Failed', 'configmap-checkout');

      await waitFor('each panel shows data', async () => {
        const missing: string[] = [];
        // Rates need an increase between two scrapes.
        await askGateway();
        for (const { title, targets = [] } of panels) {
          const found = await Promise.all(
            targets.map(({ expr }) => prometheus.query(withoutVariables(expr))),
          );
          const hasData = found.flat().some(({ value }) => Number.isFinite(Number(value[1])));
          if (!hasData && targets.length > 0 && !empty.includes(title)) missing.push(title);
        }
        return missing.length === 0 ? { met: true } : { seen: missing.join(', ') };
      });
      await waitFor('the alert fires', async () => {
        const firing = await prometheus.firing();
        return firing.includes('TrimtabRolledBack') ? { met: true } : { seen: firing.join() };
      });
      for (const url of Object.values(urls)) {
        const text = await (await fetch(`${url}/metrics`)).text();
        // The Lease of a controller for one namespace has the name of that namespace.
        const lines = text.split('\n').filter((line) => !line.startsWith('trimtab_leader'));
        for (const name of [it.namespace, 'checkout', 'basket']) expect(lines.join('\n')).not.toContain(name);
      }
    } finally {
      await gateway.stop();
    }
  });
});

function healthUrl(log: string): string {
  const [, url] = /"server":"health","url":"([^"]+)"/.exec(log) ?? [];
  if (url === undefined) throw new Error(`no health server in the log:\n${log.slice(0, 500)}`);
  return url;
}

/** As Grafana replaces the variables. */
function withoutVariables(expr: string): string {
  return expr.replaceAll('$namespace', '.*').replaceAll('$__rate_interval', '1m');
}
