import type { KubeClient } from '@trimtab/kube/client.ts';
import { expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { emptyLedger, formatLedger, markMade, reserve } from '../../core/version/ledger.ts';
import { isStale } from '../guarded-patch.ts';
import { writeLedger } from './write-ledger.ts';

const { ledger: open } = reserve(emptyLedger, { contentHash: 'red', chosen: 'first' });
const rollout = (text: string) =>
  ({
    metadata: { namespace: 'ns', name: 'foo', annotations: { [annotations.ledger]: text } },
  }) as unknown as ConfigRollout;
const serving = (text: string) => ({ get: async () => rollout(text) }) as unknown as KubeClient;

test('a reservation that is open at the server, too, can be gone on with', async () => {
  const text = formatLedger(open);
  expect(await writeLedger(serving(text), rollout(text), open, {})).toEqual(rollout(text));
});

test('a reservation whose version was made meanwhile, and perhaps deleted, is none any more', async () => {
  const meanwhile = serving(formatLedger(markMade(open)));
  const error = await writeLedger(meanwhile, rollout(formatLedger(open)), open, {}).catch((caught) => caught);
  expect(isStale(error)).toBe(true);
});
