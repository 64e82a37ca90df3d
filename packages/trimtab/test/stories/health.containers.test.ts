import { configMaps, daemonSets, deployments, statefulSets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type DaemonSet, daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { aliveWhile, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { runningScript } from '@trimtab/test-bed/objects/shell-app.ts';
import { type StatefulSet, statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { afterAll, expect, test } from 'vitest';
import { managed } from '../support/managed.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

/** Behaves as its config says: starts slowly, never becomes Ready, fails its liveness probe, or exits. */
const script = `
  word=$(cat /etc/foo/word)
  touch /tmp/alive
  case $word in
    slow) sleep 3 ;;
    never) exec sleep 3600 ;;
    end) echo "told to end" > /dev/termination-log; exit 4 ;;
  esac
  touch /tmp/ready
  [ $word = die ] && rm /tmp/alive
  exec sleep 3600
`;
const app = () =>
  [mountingConfigMap('foo', '/etc/foo'), runningScript(engine.images.busybox, script), managed] as const;
const say = (release: ReleaseStory, word: string) =>
  release.when.edited(configMaps, 'foo', withData({ word }));
const isRolledBack = (release: ReleaseStory) =>
  release.rolloutIs('it is rolled back', ({ phase, target }) => phase === 'Failed' && target === undefined);

test('a slow start is no failure; never Ready is one at the deadline; a liveness kill is one at once', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.shortBake(['foo']);
  await release.given.objects(
    configMap('foo', { word: 'run' }),
    deployment('web', ...app(), aliveWhile('/tmp/alive')),
  );
  await settled(release, '1.0.0', ['web']);
  await say(release, 'slow');
  const { status: good } = await settled(release, '1.0.1', ['web']);

  // The bake must outlast the time until the kubelet reports the failed probe. The failure ends the bake early.
  await release.strategyIs({ bakeSeconds: 90 });
  await say(release, 'die');
  const killed = await isRolledBack(release);
  expect(conditionOf(killed, 'Degraded')?.message).toMatch(
    /1\.0\.2.*pod web-\S+, container app: LivenessProbeFailed/,
  );
  expect(mountedConfigMap(await release.object<Deployment>(deployments, 'web'))).toBe(good?.current?.object);

  await release.strategyIs({ progressDeadlineSeconds: 8 });
  await say(release, 'never');
  const late = await release.rolloutIs(
    '1.0.3 is rolled back',
    ({ history, target }) => target === undefined && history?.[0]?.version === '1.0.3',
  );
  expect(late.status?.history?.[0]?.result).toBe('RolledBack');
  expect(conditionOf(late, 'Degraded')?.message).toMatch(
    /1\.0\.3.*ProgressDeadlineExceeded: not Ready within 8 s/,
  );
  await release.when.kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
});

test('a StatefulSet that is stuck on its broken pod goes back, and later forward', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.shortBake(['foo']);
  await release.given.objects(
    configMap('foo', { word: 'run' }),
    statefulSet('db', withReplicas(2), ...app()),
  );
  const { status: first } = await settled(release, '1.0.0', ['db']);

  await say(release, 'end');
  const failed = await isRolledBack(release);
  expect(conditionOf(failed, 'Degraded')?.message).toMatch(
    /pod db-1, container app: \w+, exit code 4: told to end/,
  );
  await release.eventually<StatefulSet>(
    'both pods are well again',
    statefulSets,
    'db',
    (db) => mountedConfigMap(db) === first?.current?.object && db.status?.readyReplicas === 2,
  );

  await say(release, 'never');
  await release.rolloutIs(
    'db-1 is stuck with 1.0.2',
    (status) => status.target?.version === '1.0.2' && lineOf(status, 'db')?.updated === 1,
  );
  await say(release, 'go');
  await settled(release, '1.0.3', ['db']);
  expect(await release.when.kubectl('exec', 'db-1', '--', 'cat', '/etc/foo/word')).toBe('go');
});

test('a DaemonSet whose pod ends is rolled back, too', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { word: 'run' }), daemonSet('agent', ...app()));
  const { status: first } = await settled(release, '1.0.0', ['agent']);
  await say(release, 'end');
  await isRolledBack(release);
  await release.eventually<DaemonSet>(
    'it is well again',
    daemonSets,
    'agent',
    (agent) => mountedConfigMap(agent) === first?.current?.object && agent.status?.numberReady === 1,
  );
});

test('a second bad edit right after a rollback is judged, too, while the StatefulSet still recovers', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.shortBake(['foo']);
  await release.given.objects(
    configMap('foo', { word: 'run' }),
    statefulSet('db', withReplicas(2), ...app()),
  );
  const { status: first } = await settled(release, '1.0.0', ['db']);
  await say(release, 'end');
  await isRolledBack(release);
  await release.when.edited(configMaps, 'foo', withData({ word: 'end', again: 'yes' }));
  const second = await release.rolloutIs(
    '1.0.2 is rolled back',
    ({ history, target }) => target === undefined && history?.[0]?.version === '1.0.2',
  );
  expect(second.status).toMatchObject({ phase: 'Failed', current: { version: '1.0.0' } });
  await release.eventually<StatefulSet>(
    'both pods are well again',
    statefulSets,
    'db',
    (db) => mountedConfigMap(db) === first?.current?.object && db.status?.readyReplicas === 2,
  );
});
