import { readFile } from 'node:fs/promises';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { applyObjects } from '@trimtab/test-bed/story/apply-objects.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { parseAllDocuments } from 'yaml';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { reloadReports } from '../../src/api/reload-report.ts';

/** Installs the kinds of Trimtab and waits until the API server serves them. */
export async function applyCrd(client: KubeClient): Promise<void> {
  const text = await readFile(new URL('../../../../deploy/crd.yaml', import.meta.url), 'utf8');
  await applyObjects(
    client,
    parseAllDocuments(text).map((each) => each.toJS()),
  );
  await waitFor('ConfigRollouts are served', async () => {
    try {
      await client.list(configRollouts, { limit: 1 });
      await client.list(reloadReports, { limit: 1 });
      return { met: true };
    } catch (error) {
      if (isNotFound(error)) return { seen: 'not found' };
      throw error;
    }
  });
}
