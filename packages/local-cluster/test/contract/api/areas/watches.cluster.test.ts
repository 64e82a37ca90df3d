import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import type { Query } from '../http.ts';
import { configMap, pod } from '../objects.ts';
import { badRequest, invalid, noSuchResource, notAllowed, type Refusal, refuses } from '../statuses.ts';
import type { Target } from '../target.ts';
import { told } from '../watch.ts';
import { widgetPath, widgets } from '../widgets.ts';

/** Each case watches objects with a separate label. */
const labelled = (set: string, name: string, more: object = {}) => configMap({ name, labels: { set } }, more);

async function create(target: Target, set: string, ...names: string[]): Promise<string> {
  let version = '';
  for (const name of names) {
    const { body } = await target.api.post(target.core('configmaps'), labelled(set, name));
    version = body.metadata.resourceVersion;
  }
  return version;
}

const change = ({ api, core }: Target, name: string, data: object = { changed: 'yes' }) =>
  api.patch(core(`configmaps/${name}`), 'merge', { data });

const watching = ({ api, core }: Target, set: string, query: Query = {}) =>
  api.watch(core('configmaps'), { labelSelector: `set=${set}`, ...query });

contract(
  'watches',
  (it) => {
    it('without a version, a watch begins with everything that is there', async (target) => {
      await create(target, 'any', 'any-a', 'any-b');
      await using watch = await watching(target, 'any');
      expect(told(await watch.next(2)).sort()).toEqual(['ADDED any-a', 'ADDED any-b']);
      await change(target, 'any-a');
      await target.api.delete(target.core('configmaps/any-b'));
      expect(told(await watch.next(2))).toEqual(['MODIFIED any-a', 'DELETED any-b']);
    });

    it('a watch is told as JSON in chunks', async (target) => {
      await using watch = await watching(target, 'chunks');
      expect(watch.response.headers['content-type']).toBe('application/json');
      expect(watch.response.headers['transfer-encoding']).toBe('chunked');
    });

    it('from version 0, a watch begins with everything, too', async (target) => {
      await create(target, 'zero', 'zero-a');
      const seen = async () => {
        await using watch = await watching(target, 'zero', { resourceVersion: '0', timeoutSeconds: '1' });
        const events = told(await watch.rest());
        return events.length > 0 ? { met: events } : { seen: 'nothing yet' };
      };
      expect(await waitFor('the server’s cache has it', seen)).toEqual(['ADDED zero-a']);
    });

    it('from a version, a watch tells what came after it and nothing else', async (target) => {
      const version = await create(target, 'after', 'after-a');
      await change(target, 'after-a');
      await create(target, 'after', 'after-b');
      await using watch = await watching(target, 'after', { resourceVersion: version });
      expect(told(await watch.next(2))).toEqual(['MODIFIED after-a', 'ADDED after-b']);
    });

    it('an event carries the whole object with its kind', async (target) => {
      const version = await create(target, 'whole', 'whole-a');
      await change(target, 'whole-a', { colour: 'red' });
      await using watch = await watching(target, 'whole', { resourceVersion: version });
      const [event] = await watch.next(1);
      expect(event).toMatchObject({
        type: 'MODIFIED',
        object: {
          kind: 'ConfigMap',
          apiVersion: 'v1',
          metadata: { name: 'whole-a' },
          data: { colour: 'red' },
        },
      });
    });

    it('a deletion shows the last state under the version of the deletion', async (target) => {
      const version = await create(target, 'last', 'last-a');
      await target.api.delete(target.core('configmaps/last-a'));
      await using watch = await watching(target, 'last', { resourceVersion: version });
      const [event] = await watch.next(1);
      expect(event?.type).toBe('DELETED');
      expect(Number(event?.object.metadata.resourceVersion)).toBeGreaterThan(Number(version));
    });

    it('every change is told, in order, one by one', async (target) => {
      const version = await create(target, 'order', 'order-a');
      for (let n = 0; n < 20; n++) await change(target, 'order-a', { n: String(n) });
      await using watch = await watching(target, 'order', { resourceVersion: version });
      const events = await watch.next(20);
      expect(events.map(({ object }) => (object as unknown as { data: { n: string } }).data.n)).toEqual(
        Array.from({ length: 20 }, (_, n) => String(n)),
      );
      const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    });

    it('an object that enters a label selector is ADDED, one that leaves it DELETED', async (target) => {
      const { api, core } = target;
      await api.post(core('configmaps'), labelled('outside', 'moving'));
      await using watch = await watching(target, 'inside');
      const label = (set: string) =>
        api.patch(core('configmaps/moving'), 'merge', { metadata: { labels: { set } } });
      await label('inside');
      await change(target, 'moving');
      await label('outside');
      await change(target, 'moving', { unseen: 'yes' });
      await label('inside');
      const events = await watch.next(4);
      expect(told(events)).toEqual(['ADDED moving', 'MODIFIED moving', 'DELETED moving', 'ADDED moving']);
      expect(events[2]?.object.metadata.labels).toEqual({ set: 'inside' });
    });

    it('an object that enters a field selector is ADDED, one that leaves it DELETED', async ({
      api,
      core,
    }) => {
      await api.post(core('pods'), pod('phased'));
      await using watch = await api.watch(core('pods'), { fieldSelector: 'status.phase=Running' });
      const phase = (name: string) =>
        api.patch(core('pods/phased/status'), 'merge', { status: { phase: name } });
      await phase('Running');
      await phase('Succeeded');
      expect(told(await watch.next(2))).toEqual(['ADDED phased', 'DELETED phased']);
    });

    it('one object is watched by its name', async (target) => {
      const version = await create(target, 'single', 'single-a', 'single-b');
      const query = { fieldSelector: 'metadata.name=single-b', resourceVersion: version };
      await using watch = await target.api.watch(target.core('configmaps'), query);
      await change(target, 'single-a');
      await change(target, 'single-b');
      expect(told(await watch.next(1))).toEqual(['MODIFIED single-b']);
    });

    it('the path of one object is read and not watched', async (target) => {
      await create(target, 'path', 'path-a');
      const { code, body } = await target.api.get(target.core('configmaps/path-a'), {
        query: { watch: 'true' },
      });
      expect([code, body.kind]).toEqual([200, 'ConfigMap']);
    });

    it('the old path of watches works for one object', async (target) => {
      const version = await create(target, 'old-single', 'old-single-a', 'old-single-b');
      const path = `/api/v1/watch/namespaces/${target.namespace}/configmaps/old-single-b`;
      await using watch = await target.api.watch(path, { resourceVersion: version });
      await change(target, 'old-single-a');
      await change(target, 'old-single-b');
      expect(told(await watch.next(1))).toEqual(['MODIFIED old-single-b']);
    });

    it('the old path of watches works', async (target) => {
      const version = await create(target, 'old-path', 'old-path-a');
      await change(target, 'old-path-a');
      const path = `/api/v1/watch/namespaces/${target.namespace}/configmaps`;
      await using watch = await target.api.watch(path, {
        labelSelector: 'set=old-path',
        resourceVersion: version,
      });
      expect(told(await watch.next(1))).toEqual(['MODIFIED old-path-a']);
    });

    it('the old path of watches works for a namespace itself', async (target) => {
      const path = `/api/v1/watch/namespaces/${target.namespace}`;
      await using watch = await target.api.watch(path);
      expect(told(await watch.next(1))).toEqual([`ADDED ${target.namespace}`]);
    });

    it(
      'the old path of watches takes one name only',
      refuses(
        ({ api, namespace }) =>
          api.get(`/api/v1/watch/namespaces/${namespace}/configmaps/one`, {
            query: { fieldSelector: 'metadata.name=other' },
          }),
        badRequest("fieldSelector metadata.name doesn't match requested name"),
      ),
    );

    it(
      'the old path of watches is for watching',
      refuses(
        ({ api, namespace }) => api.delete(`/api/v1/watch/namespaces/${namespace}/configmaps/one`),
        notAllowed,
      ),
    );

    it(
      'the old path of watches knows no subresources',
      refuses(
        ({ api, namespace }) => api.get(`/api/v1/watch/namespaces/${namespace}/pods/one/status`),
        noSuchResource,
      ),
    );

    it('all namespaces can be watched at once', async (target) => {
      const version = await create(target, target.namespace, 'everywhere');
      await change(target, 'everywhere');
      const query = { labelSelector: `set=${target.namespace}`, resourceVersion: version };
      await using watch = await target.api.watch('/api/v1/configmaps', query);
      expect(told(await watch.next(1))).toEqual(['MODIFIED everywhere']);
    });

    it('the server ends a watch in due time', async (target) => {
      await create(target, 'timed', 'timed-a');
      await using watch = await watching(target, 'timed', { timeoutSeconds: '1' });
      expect(told(await watch.rest())).toEqual(['ADDED timed-a']);
    });

    it('before it ends a watch, the server sends a bookmark to who wants one', async (target) => {
      const version = await create(target, 'marked', 'marked-a');
      const query = { resourceVersion: version, allowWatchBookmarks: 'true', timeoutSeconds: '5' };
      await using watch = await watching(target, 'marked', query);
      const marks = (await watch.rest()).filter(({ type }) => type === 'BOOKMARK');
      expect(marks.length).toBeGreaterThan(0);
      const { object } = marks[0] ?? {};
      expect(object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
      expect(Number(object?.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(version));
      expect(object?.metadata.name).toBeUndefined();
    });

    it('initial events end with a bookmark that says so, and the watch goes on', async (target) => {
      await create(target, 'initial', 'initial-a', 'initial-b');
      const query = {
        sendInitialEvents: 'true',
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: 'true',
      };
      await using watch = await watching(target, 'initial', query);
      const events = await watch.until(({ type }) => type === 'BOOKMARK');
      expect(told(events.slice(0, -1)).sort()).toEqual(['ADDED initial-a', 'ADDED initial-b']);
      expect(events.at(-1)?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
      await change(target, 'initial-a');
      expect(told(await watch.next(1))).toEqual(['MODIFIED initial-a']);
    });

    it('sendInitialEvents=false begins with what comes next', async (target) => {
      await create(target, 'none', 'none-a');
      const query = {
        sendInitialEvents: 'false',
        resourceVersionMatch: 'NotOlderThan',
        timeoutSeconds: '30',
      };
      await using watch = await watching(target, 'none', query);
      await change(target, 'none-a');
      expect(told(await watch.next(1))).toEqual(['MODIFIED none-a']);
    });

    it('a dead watch costs nothing: two see the same after one was cut', async (target) => {
      await using first = await watching(target, 'cut');
      await using second = await watching(target, 'cut');
      await create(target, 'cut', 'cut-a');
      expect(told(await first.next(1))).toEqual(['ADDED cut-a']);
      first.response.destroy();
      await change(target, 'cut-a');
      expect(told(await second.next(2))).toEqual(['ADDED cut-a', 'MODIFIED cut-a']);
    });

    it('a history that the server does not have is an error in the stream', async (target) => {
      // The kind was defined after version 1, so the server cannot have its history since then.
      await widgets(target);
      await using watch = await target.api.watch(widgetPath(target), { resourceVersion: '1' });
      const events = await watch.rest();
      const message = expect.stringMatching(/^too old resource version: 1 \(\d+\)$/);
      expect(events).toEqual([
        {
          type: 'ERROR',
          object: {
            kind: 'Status',
            apiVersion: 'v1',
            metadata: {},
            status: 'Failure',
            message,
            reason: 'Expired',
            code: 410,
          },
        },
      ]);
    });

    const refusedWatches: [why: string, query: Query, expected: Refusal][] = [
      [
        'a resourceVersion that is no number',
        { resourceVersion: 'x' },
        {
          code: 500,
          message: 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
        },
      ],
      [
        'sendInitialEvents without resourceVersionMatch',
        { sendInitialEvents: 'true', allowWatchBookmarks: 'true' },
        invalid(
          'ListOptions.meta.k8s.io',
          '',
          'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
        ),
      ],
      [
        'sendInitialEvents with an exact match',
        {
          sendInitialEvents: 'true',
          resourceVersion: '1',
          resourceVersionMatch: 'Exact',
          allowWatchBookmarks: 'true',
        },
        invalid(
          'ListOptions.meta.k8s.io',
          '',
          'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
          'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"',
        ),
      ],
      [
        'resourceVersionMatch without sendInitialEvents',
        { resourceVersionMatch: 'NotOlderThan', resourceVersion: '1' },
        invalid(
          'ListOptions.meta.k8s.io',
          '',
          'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        ),
      ],
      [
        'a bad label selector',
        { labelSelector: 'a in' },
        badRequest("unable to parse requirement: found '' expected: '('"),
      ],
      [
        'a bad field selector',
        { fieldSelector: 'data.x=1' },
        badRequest('"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"'),
      ],
      [
        'a timeout that is no number',
        { timeoutSeconds: 'soon' },
        badRequest('strconv.ParseInt: parsing "soon": invalid syntax'),
      ],
      [
        'a continue token',
        { continue: 'x' },
        invalid(
          'ListOptions.meta.k8s.io',
          '',
          'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
        ),
      ],
    ];
    for (const [why, query, expected] of refusedWatches)
      it(
        `a watch with ${why} is refused`,
        refuses(
          ({ api, core }) => api.get(core('configmaps'), { query: { watch: 'true', ...query } }),
          expected,
        ),
      );
  },
  { atOnce: true },
);
