import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../../api/contract.ts';
import { workload } from '../../api/objects.ts';
import {
  becomes,
  collectorHasLooked,
  gone,
  goneAt,
  letGo,
  make,
  makeAt,
  ownerOf,
  read,
  remove,
} from '../owned-objects.ts';
import { caseTimeoutMs } from '../stage.ts';

const hold = ['test.dev/hold'];
const nobody = '11111111-2222-3333-4444-555555555555';

contract(
  'garbage collection',
  (it) => {
    it('what an object owns goes after it', async (target) => {
      const owner = await make(target, 'plain-owner');
      await make(target, 'plain', { ownerReferences: [ownerOf(owner)] });
      await remove(target, 'plain-owner', 'Background');
      await gone(target, 'plain');
    });

    it('and what that owns, too', async (target) => {
      const first = await make(target, 'chain-1');
      const second = await make(target, 'chain-2', { ownerReferences: [ownerOf(first)] });
      await make(target, 'chain-3', { ownerReferences: [ownerOf(second)] });
      await remove(target, 'chain-1', 'Background');
      await gone(target, 'chain-3');
      await gone(target, 'chain-2');
    });

    it('an owner may be of another kind than what it owns', async (target) => {
      const { api, apps } = target;
      const owner = await makeAt(
        target,
        apps('replicasets'),
        workload('ReplicaSet', 'kinds', { replicas: 0 }),
      );
      await make(target, 'of-a-replicaset', { ownerReferences: [ownerOf(owner, { controller: true })] });
      await api.delete(apps('replicasets/kinds'));
      await gone(target, 'of-a-replicaset');
    });

    it('an owner in no namespace may own what is in one', async (target) => {
      const name = `owner-${target.namespace}`;
      const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
      const object = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name } };
      const owner = await makeAt(target, path, object);
      await make(target, 'of-a-cluster-role', { ownerReferences: [ownerOf(owner)] });
      await target.api.delete(`${path}/${name}`);
      await gone(target, 'of-a-cluster-role');
    });

    it('with two owners, one gone, it stays and forgets that one', async (target) => {
      const [one, other] = [await make(target, 'two-1'), await make(target, 'two-2')];
      await make(target, 'of-two', { ownerReferences: [ownerOf(one), ownerOf(other)] });
      await remove(target, 'two-1', 'Background');
      const kept = await becomes(
        target,
        'of-two',
        'has one owner',
        ({ ownerReferences = [] }) => ownerReferences.length === 1,
      );
      expect(kept.metadata.ownerReferences).toEqual([ownerOf(other)]);
      await remove(target, 'two-2', 'Background');
      await gone(target, 'of-two');
    });

    it('what is born with an owner that does not exist goes at once', async (target) => {
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'never-was', uid: nobody };
      await make(target, 'foundling', { ownerReferences: [reference] });
      await gone(target, 'foundling');
    });

    it('an owner of the same name with another UID is another one', async (target) => {
      const first = await make(target, 'namesake');
      await remove(target, 'namesake', 'Background');
      await make(target, 'namesake');
      await make(target, 'of-the-first', { ownerReferences: [ownerOf(first)] });
      await gone(target, 'of-the-first');
      await read(target, 'namesake');
    });

    it('a right UID under a wrong name is no owner', async (target) => {
      const owner = await make(target, 'rightly-named');
      await make(target, 'misled', { ownerReferences: [{ ...ownerOf(owner), name: 'wrongly-named' }] });
      await gone(target, 'misled');
    });

    it('what loses its last reference is nobody’s, and stays', async (target) => {
      const owner = await make(target, 'left-owner');
      await make(target, 'left', { ownerReferences: [ownerOf(owner)] });
      const change = { metadata: { ownerReferences: null } };
      await target.api.patch(target.core('configmaps/left'), 'merge', change);
      await remove(target, 'left-owner', 'Background');
      await collectorHasLooked(target, 'after-left');
      expect((await read(target, 'left')).metadata.deletionTimestamp).toBeUndefined();
    });

    it('an owner in another namespace is none, and an event says so', async (target) => {
      const elsewhere = await target.engine.namespace();
      const path = `/api/v1/namespaces/${elsewhere}/configmaps`;
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'far' } };
      const owner = await makeAt(target, path, object);
      // The collector reports the wrong namespace only if it knows the owner before it processes the dependent.
      await collectorHasLooked(target, 'before-far');
      const dependent = await make(target, 'of-far', { ownerReferences: [ownerOf(owner)] });
      await gone(target, 'of-far');
      const event = await waitFor('an Event of the dependent', async () => {
        const query = { fieldSelector: `involvedObject.uid=${dependent.metadata.uid}` };
        const { body, text } = await target.api.get(target.core('events'), { query });
        const [first] = body.items;
        return first === undefined ? { seen: text } : { met: first };
      });
      expect(event).toMatchObject({
        type: 'Warning',
        reason: 'OwnerRefInvalidNamespace',
        message: `ownerRef [v1/ConfigMap, namespace: ${target.namespace}, name: far, uid: ${owner.metadata.uid}] does not exist in namespace "${target.namespace}"`,
        involvedObject: { kind: 'ConfigMap', name: 'of-far', namespace: target.namespace },
      });
    });

    it('what is in no namespace is not deleted for an owner in one', async (target) => {
      const owner = await make(target, 'namespaced-owner');
      const name = `stays-${target.namespace}`;
      const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
      await target.createForAll(path, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name, ownerReferences: [ownerOf(owner)] },
      } as { metadata: { name: string } });
      await remove(target, 'namespaced-owner', 'Background');
      await collectorHasLooked(target, 'after-namespaced-owner');
      const { body } = await target.api.get(`${path}/${name}`);
      expect(body.metadata).toMatchObject({ name });
      expect(body.metadata.deletionTimestamp).toBeUndefined();
    });

    it('an owner of a kind that nobody serves keeps what it owns', async (target) => {
      const reference = { apiVersion: 'nobody.example.com/v1', kind: 'Thing', name: 'thing', uid: nobody };
      await make(target, 'of-a-thing', { ownerReferences: [reference] });
      await collectorHasLooked(target, 'after-of-a-thing');
      expect((await read(target, 'of-a-thing')).metadata.deletionTimestamp).toBeUndefined();
    });

    it('what has finalizers of its own is told to go, and goes when they are done', async (target) => {
      const owner = await make(target, 'held-owner');
      await make(target, 'held', { finalizers: hold, ownerReferences: [ownerOf(owner)] });
      await remove(target, 'held-owner', 'Background');
      await becomes(target, 'held', 'goes', ({ deletionTimestamp }) => deletionTimestamp !== undefined);
      await letGo(target, 'held');
      await gone(target, 'held');
    });

    it('in the foreground the owner goes last', async (target) => {
      const owner = await make(target, 'last');
      const ownerReferences = [ownerOf(owner, { blockOwnerDeletion: true })];
      await make(target, 'first', { finalizers: hold, ownerReferences });
      await remove(target, 'last', 'Foreground');
      await becomes(target, 'first', 'goes', ({ deletionTimestamp }) => deletionTimestamp !== undefined);
      await collectorHasLooked(target, 'after-last');
      const { metadata } = await read(target, 'last');
      expect(metadata.finalizers).toEqual(['foregroundDeletion']);
      expect(metadata.deletionTimestamp).toBeDefined();
      await letGo(target, 'first');
      await gone(target, 'last');
    });

    it('in the foreground nobody waits for what does not block', async (target) => {
      const owner = await make(target, 'unblocked');
      await make(target, 'no-block', { finalizers: hold, ownerReferences: [ownerOf(owner)] });
      await remove(target, 'unblocked', 'Foreground');
      await gone(target, 'unblocked');
      await becomes(target, 'no-block', 'goes', ({ deletionTimestamp }) => deletionTimestamp !== undefined);
      await letGo(target, 'no-block');
    });

    it('an owner that waits goes when what blocks it stops to', async (target) => {
      const owner = await make(target, 'waiter');
      const blocking = ownerOf(owner, { blockOwnerDeletion: true });
      await make(target, 'blocker', { finalizers: hold, ownerReferences: [blocking] });
      await remove(target, 'waiter', 'Foreground');
      await becomes(target, 'blocker', 'goes', ({ deletionTimestamp }) => deletionTimestamp !== undefined);
      const ownerReferences = [{ ...blocking, blockOwnerDeletion: false }];
      await target.api.patch(target.core('configmaps/blocker'), 'merge', { metadata: { ownerReferences } });
      await gone(target, 'waiter');
      await letGo(target, 'blocker');
    });

    it('in the foreground it goes from the leaves to the root', async (target) => {
      const root = await make(target, 'root');
      const branch = await make(target, 'branch', {
        ownerReferences: [ownerOf(root, { blockOwnerDeletion: true })],
      });
      const ownerReferences = [ownerOf(branch, { blockOwnerDeletion: true })];
      await make(target, 'leaf', { finalizers: hold, ownerReferences });
      await remove(target, 'root', 'Foreground');
      await becomes(target, 'leaf', 'goes', ({ deletionTimestamp }) => deletionTimestamp !== undefined);
      expect((await read(target, 'branch')).metadata.finalizers).toEqual(['foregroundDeletion']);
      expect((await read(target, 'root')).metadata.finalizers).toEqual(['foregroundDeletion']);
      await letGo(target, 'leaf');
      await gone(target, 'branch');
      await gone(target, 'root');
    });

    it('two that own each other go in the foreground, too', async (target) => {
      const one = await make(target, 'circle-1');
      const other = await make(target, 'circle-2', {
        ownerReferences: [ownerOf(one, { blockOwnerDeletion: true })],
      });
      const ownerReferences = [ownerOf(other, { blockOwnerDeletion: true })];
      await target.api.patch(target.core('configmaps/circle-1'), 'merge', { metadata: { ownerReferences } });
      await remove(target, 'circle-1', 'Foreground');
      await gone(target, 'circle-1');
      await gone(target, 'circle-2');
    });

    it('in the foreground, who has another owner is let off', async (target) => {
      const [going, staying] = [await make(target, 'going'), await make(target, 'staying')];
      const ownerReferences = [ownerOf(going, { blockOwnerDeletion: true }), ownerOf(staying)];
      await make(target, 'shared', { ownerReferences });
      await remove(target, 'going', 'Foreground');
      await gone(target, 'going');
      const { metadata } = await read(target, 'shared');
      expect(metadata.ownerReferences).toEqual([ownerOf(staying)]);
      expect(metadata.deletionTimestamp).toBeUndefined();
    });

    it('orphans stay, without the reference', async (target) => {
      const owner = await make(target, 'parent');
      for (const name of ['orphan-1', 'orphan-2'])
        await make(target, name, { ownerReferences: [ownerOf(owner)] });
      await remove(target, 'parent', 'Orphan');
      await gone(target, 'parent');
      await collectorHasLooked(target, 'after-parent');
      for (const name of ['orphan-1', 'orphan-2']) {
        const { metadata } = await read(target, name);
        expect([metadata.ownerReferences, metadata.deletionTimestamp]).toEqual([undefined, undefined]);
      }
    });

    it('an orphan keeps its other owners', async (target) => {
      const [parent, other] = [await make(target, 'one-parent'), await make(target, 'other-parent')];
      await make(target, 'half', { ownerReferences: [ownerOf(parent), ownerOf(other)] });
      await remove(target, 'one-parent', 'Orphan');
      await gone(target, 'one-parent');
      expect((await read(target, 'half')).metadata.ownerReferences).toEqual([ownerOf(other)]);
    });

    it(
      '`kubectl delete --cascade=orphan` leaves what is owned',
      async (target) => {
        const { apps } = target;
        const owner = await makeAt(
          target,
          apps('replicasets'),
          workload('ReplicaSet', 'cascade', { replicas: 0 }),
        );
        await make(target, 'cascaded', { ownerReferences: [ownerOf(owner)] });
        // The collector watches each kind separately, and must know the dependent before it orphans it.
        await collectorHasLooked(target, 'before-cascade');
        await target.kubectl(['delete', 'replicaset', 'cascade', '--cascade=orphan', '--wait=false']);
        await goneAt(target, apps('replicasets/cascade'));
        await collectorHasLooked(target, 'after-cascade');
        expect((await read(target, 'cascaded')).metadata.ownerReferences).toBeUndefined();
      },
      { needs: 'kubectl' },
    );

    it('two hundred dependents go with their owner', async (target) => {
      const owner = await make(target, 'many');
      const labels = { of: 'many' };
      const ownerReferences = [ownerOf(owner)];
      const names = Array.from({ length: 200 }, (_, index) => `many-${index}`);
      await Promise.all(names.map((name) => make(target, name, { labels, ownerReferences })));
      await remove(target, 'many', 'Background');
      await waitFor('no dependent is left', async () => {
        const query = { labelSelector: 'of=many' };
        const { body } = await target.api.get(target.core('configmaps'), { query });
        return body.items.length === 0 ? { met: true } : { seen: `${body.items.length} are left` };
      });
    });
  },
  { atOnce: true, timeoutMs: caseTimeoutMs },
);
