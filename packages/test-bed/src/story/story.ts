import type { Engine } from '../engines/engine.ts';
import { Given } from './given.ts';
import { Then } from './then.ts';
import { When } from './when.ts';

/**
 * The given-when-then API of a test, in a new namespace:
 *
 *     const [given, when, then] = await story(engine);
 *     await given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountingConfigMap('foo', '/etc/foo')));
 *     await when.edited(configMaps, 'foo', (foo) => { foo.data = { color: 'green' }; });
 *     await then.eventually('web runs green', deployments, 'web', (web) => …);
 */
export async function story(engine: Engine): Promise<[given: Given, when: When, then: Then]> {
  const namespace = await engine.namespace();
  const client = await engine.connect();
  return [new Given(client, namespace), new When(engine, client, namespace), new Then(client, namespace)];
}
