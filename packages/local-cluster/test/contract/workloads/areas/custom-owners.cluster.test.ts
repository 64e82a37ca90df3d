import { expect } from 'vitest';
import { contract } from '../../api/contract.ts';
import { definition, groupOf, widget, widgetPath, widgets } from '../../api/widgets.ts';
import { collectorHasLooked, gone, goneAt, make, makeAt, ownerOf, read } from '../owned-objects.ts';

/** Kubernetes' garbage collector discovers new kinds every 30 s. */
const minute = 60_000;
const options = { timeoutMs: 3 * minute };

contract('custom owners', (it) => {
  it(
    'a custom resource takes what it owns along',
    async (target) => {
      await widgets(target);
      const owner = await makeAt(target, widgetPath(target), widget(target, 'owner'));
      await make(target, 'of-a-widget', { ownerReferences: [ownerOf(owner)] });
      await target.api.delete(widgetPath(target, 'owner'));
      await gone(target, 'of-a-widget', 2 * minute);
    },
    options,
  );

  it(
    'a custom resource goes with its owner',
    async (target) => {
      await widgets(target);
      const owner = await make(target, 'widget-owner');
      const metadata = { name: 'owned', ownerReferences: [ownerOf(owner)] };
      await makeAt(target, widgetPath(target), widget(target, 'owned', {}, { metadata }));
      await target.api.delete(target.core('configmaps/widget-owner'));
      await goneAt(target, widgetPath(target, 'owned'), 2 * minute);
    },
    options,
  );

  it(
    'an owner may be named in any version that is served',
    async (target) => {
      await widgets(target);
      const owner = await makeAt(target, widgetPath(target), widget(target, 'versioned'));
      const reference = { ...ownerOf(owner), apiVersion: `${groupOf(target)}/v1beta1` };
      await make(target, 'of-a-version', { ownerReferences: [reference] });
      await make(target, 'of-the-other', { ownerReferences: [ownerOf(owner)] });
      await target.api.delete(widgetPath(target, 'versioned'));
      await gone(target, 'of-the-other', 2 * minute);
      await gone(target, 'of-a-version', 2 * minute);
    },
    options,
  );

  it(
    'a custom resource is deleted in the foreground',
    async (target) => {
      await widgets(target);
      const owner = await makeAt(target, widgetPath(target), widget(target, 'patient'));
      const ownerReferences = [ownerOf(owner, { blockOwnerDeletion: true })];
      await make(target, 'hurried', { ownerReferences });
      await target.api.delete(widgetPath(target, 'patient'), { propagationPolicy: 'Foreground' });
      await gone(target, 'hurried', 2 * minute);
      await goneAt(target, widgetPath(target, 'patient'), 2 * minute);
    },
    options,
  );

  it(
    'a custom resource can leave orphans',
    async (target) => {
      await widgets(target);
      const owner = await makeAt(target, widgetPath(target), widget(target, 'leaving'));
      await make(target, 'orphaned', { ownerReferences: [ownerOf(owner)] });
      // The collector watches each kind separately, and must know the dependent before it orphans it.
      await collectorHasLooked(target, 'before-leaving');
      await target.api.delete(widgetPath(target, 'leaving'), { propagationPolicy: 'Orphan' });
      await goneAt(target, widgetPath(target, 'leaving'), 2 * minute);
      expect((await read(target, 'orphaned')).metadata.ownerReferences).toBeUndefined();
    },
    options,
  );

  it(
    'when a kind is deleted, what its objects owned goes, too',
    async (target) => {
      await widgets(target);
      const owner = await makeAt(target, widgetPath(target), widget(target, 'doomed'));
      await make(target, 'of-the-doomed', { ownerReferences: [ownerOf(owner)] });
      const { name } = definition(target).metadata;
      await target.api.delete(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`);
      await gone(target, 'of-the-doomed', 2 * minute);
    },
    options,
  );
});
