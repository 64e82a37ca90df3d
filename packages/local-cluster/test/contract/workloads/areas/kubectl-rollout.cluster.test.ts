import { deployments } from '@trimtab/kube/resource.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { expect } from 'vitest';
import type { Deployment } from '../../../../src/objects/workloads.ts';
import { contract } from '../../api/contract.ts';
import { caseTimeoutMs, conditionOf, revisionOf, Stage } from '../stage.ts';
import { rolling, template, withSpec } from '../workload-objects.ts';

const cause = 'kubernetes.io/change-cause';

/** Rolls out two revisions, each with a change cause. */
async function twoRevisions(stage: Stage, name: string): Promise<void> {
  await stage.create(deployment(name, withReplicas(2), annotated({ [cause]: 'the first' })));
  await stage.rolledOut(name);
  await stage.merge(deployments, name, {
    metadata: { annotations: { [cause]: 'the second' } },
    spec: { template: template(name, 'two') },
  });
  await stage.rolledOut(name);
}

const table = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s{2,}/));

const needs = { needs: 'kubectl' } as const;

contract(
  'kubectl rollout',
  (it) => {
    it(
      '`rollout status` waits for the end, and says so',
      async (target) => {
        const stage = await Stage.on(target);
        await stage.create(
          deployment('waiting', withReplicas(3), rolling(1, 0), withSpec({ minReadySeconds: 1 })),
        );
        const said = await stage.kubectl('rollout', 'status', 'deployment/waiting', '--timeout=60s');
        expect(said.trim().split('\n').at(-1)).toBe('deployment "waiting" successfully rolled out');
        const { status, spec } = await stage.deployment('waiting');
        expect(status?.availableReplicas).toBe(spec.replicas);
      },
      needs,
    );

    it(
      '`rollout status` of an update that is late fails with the reason',
      async (target) => {
        const stage = await Stage.on(target);
        await stage.create(deployment('late', withSpec({ progressDeadlineSeconds: 1 })));
        await stage.rolledOut('late');
        await stage.retemplate('late', template('late', 'bad', 'unready'));
        const { code, stderr } = await target.kubectl([
          'rollout',
          'status',
          'deployment/late',
          '--timeout=60s',
        ]);
        expect(code).toBe(1);
        expect(stderr.trim()).toBe('error: deployment "late" exceeded its progress deadline');
      },
      needs,
    );

    it(
      '`rollout history` lists revisions and their causes, and shows one',
      async (target) => {
        const stage = await Stage.on(target);
        await twoRevisions(stage, 'historic');
        const listed = await stage.kubectl('rollout', 'history', 'deployment/historic');
        expect(table(listed)).toEqual([
          ['deployment.apps/historic'],
          ['REVISION', 'CHANGE-CAUSE'],
          ['1', 'the first'],
          ['2', 'the second'],
        ]);
        const shown = await stage.kubectl('rollout', 'history', 'deployment/historic', '--revision=2');
        expect(shown).toContain('deployment.apps/historic with revision #2');
        expect(shown).toMatch(/Annotations:\s+kubernetes.io\/change-cause: the second/);
        expect(shown).toMatch(/note: two/);
      },
      needs,
    );

    it(
      '`rollout undo` goes back one revision, with its cause, and counts on',
      async (target) => {
        const stage = await Stage.on(target);
        await twoRevisions(stage, 'undone');
        const said = await stage.kubectl('rollout', 'undo', 'deployment/undone');
        expect(said.trim()).toBe('deployment.apps/undone rolled back');
        await stage.rolledOut('undone');
        const { metadata, spec } = await stage.deployment('undone');
        expect(revisionOf({ metadata })).toBe(3);
        expect(metadata.annotations?.[cause]).toBe('the first');
        expect(spec.template.metadata?.annotations?.['note']).toBeUndefined();
        const listed = await stage.kubectl('rollout', 'history', 'deployment/undone');
        expect(table(listed).slice(2)).toEqual([
          ['2', 'the second'],
          ['3', 'the first'],
        ]);
        await stage.sized('undone', 0, 2);
      },
      needs,
    );

    it(
      '`rollout undo` gets out of a broken update',
      async (target) => {
        const stage = await Stage.on(target);
        await stage.create(deployment('rescued', withReplicas(4), rolling(1, 1)));
        await stage.rolledOut('rescued');
        await stage.retemplate('rescued', template('rescued', 'bad', 'unready'));
        await stage.sized('rescued', 3, 2);
        await stage.kubectl('rollout', 'undo', 'deployment/rescued');
        await stage.kubectl('rollout', 'status', 'deployment/rescued', '--timeout=60s');
        const sets = await stage.sized('rescued', 0, 4);
        expect(sets.map(revisionOf)).toEqual([2, 3]);
      },
      needs,
    );

    it(
      '`rollout undo --to-revision` goes where it is told, and nowhere when there is none',
      async (target) => {
        const stage = await Stage.on(target);
        await twoRevisions(stage, 'chosen');
        await stage.retemplate('chosen', template('chosen', 'three'));
        await stage.rolledOut('chosen');
        await stage.kubectl('rollout', 'undo', 'deployment/chosen', '--to-revision=1');
        await stage.rolledOut('chosen');
        expect((await stage.sets('chosen')).map(revisionOf)).toEqual([2, 3, 4]);
        const { code, stderr } = await target.kubectl([
          'rollout',
          'undo',
          'deployment/chosen',
          '--to-revision=1',
        ]);
        expect(code).toBe(1);
        expect(stderr.trim()).toBe('error: unable to find specified revision 1 in history');
      },
      needs,
    );

    it(
      '`rollout pause` and `resume` hold an update and let it go',
      async (target) => {
        const stage = await Stage.on(target);
        await twoRevisions(stage, 'held');
        expect((await stage.kubectl('rollout', 'pause', 'deployment/held')).trim()).toBe(
          'deployment.apps/held paused',
        );
        await stage.kubectl('set', 'image', 'deployment/held', 'app=busybox:2');
        await stage.until<Deployment>(
          'the change is observed',
          deployments,
          'held',
          ({ metadata, status }) =>
            status?.observedGeneration === metadata.generation &&
            conditionOf(status?.conditions, 'Progressing')?.reason === 'DeploymentPaused',
        );
        expect(await stage.sets('held')).toHaveLength(2);
        const { code, stderr } = await target.kubectl(['rollout', 'undo', 'deployment/held']);
        expect([code, stderr.trim()]).toEqual([
          1,
          `error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again`,
        ]);
        expect((await stage.kubectl('rollout', 'resume', 'deployment/held')).trim()).toBe(
          'deployment.apps/held resumed',
        );
        await stage.kubectl('rollout', 'status', 'deployment/held', '--timeout=60s');
        await stage.sized('held', 0, 0, 2);
      },
      needs,
    );

    it(
      '`rollout restart` makes new pods of the same template',
      async (target) => {
        const stage = await Stage.on(target);
        await stage.create(deployment('restarted', withReplicas(2)));
        await stage.rolledOut('restarted');
        const before = (await stage.pods('restarted')).map(({ metadata }) => metadata.uid);
        expect((await stage.kubectl('rollout', 'restart', 'deployment/restarted')).trim()).toBe(
          'deployment.apps/restarted restarted',
        );
        await stage.kubectl('rollout', 'status', 'deployment/restarted', '--timeout=60s');
        await stage.sized('restarted', 0, 2);
        const after = await stage.pods('restarted');
        expect(after.filter(({ metadata }) => before.includes(metadata.uid))).toEqual([]);
        for (const { metadata } of after)
          expect(metadata.annotations?.['kubectl.kubernetes.io/restartedAt']).toMatch(/^20\d\d-/);
      },
      needs,
    );

    it(
      '`scale` changes the size, if it is what the caller believes',
      async (target) => {
        const stage = await Stage.on(target);
        await stage.create(deployment('scaled'));
        await stage.rolledOut('scaled');
        expect((await stage.kubectl('scale', 'deployment/scaled', '--replicas=3')).trim()).toBe(
          'deployment.apps/scaled scaled',
        );
        await stage.rolledOut('scaled');
        await stage.sized('scaled', 3);
        const believing = ['scale', 'deployment/scaled', '--current-replicas=1', '--replicas=5'];
        const { code, stderr } = await target.kubectl(believing);
        expect([code, stderr.trim()]).toEqual([1, 'error: Expected replicas to be 1, was 3']);
      },
      needs,
    );

    it(
      '`describe` shows strategy, conditions, ReplicaSets and what was done',
      async (target) => {
        const stage = await Stage.on(target);
        await twoRevisions(stage, 'described');
        const [first, second] = (await stage.sets('described')).map(({ metadata }) => metadata.name);
        const wanted = [
          'Replicas:               2 desired | 2 updated | 2 total | 2 available | 0 unavailable',
          'StrategyType:           RollingUpdate',
          'RollingUpdateStrategy:  25% max unavailable, 25% max surge',
          '  Available      True    MinimumReplicasAvailable',
          '  Progressing    True    NewReplicaSetAvailable',
          `OldReplicaSets:  ${first} (0/0 replicas created)`,
          `NewReplicaSet:   ${second} (2/2 replicas created)`,
        ];
        await stage.wait('the complete description', async () => {
          const text = await stage.kubectl('describe', 'deployment', 'described');
          const lines = text.split('\n').map((line) => line.trimEnd());
          const missing = wanted.filter((line) => !lines.includes(line));
          const told = lines.some((line) =>
            new RegExp(
              `^  Normal  ScalingReplicaSet .*deployment-controller  Scaled down replica set ${first} from 1 to 0$`,
            ).test(line),
          );
          return missing.length === 0 && told ? { met: true } : { seen: `${missing.join('\n')}\n${text}` };
        });
      },
      needs,
    );
  },
  { pods: 'simulated', atOnce: true, timeoutMs: caseTimeoutMs },
);
