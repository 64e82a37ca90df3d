import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { toolArguments } from '@trimtab/test-bed/tool-arguments.ts';
import { fetchSchemas, schemasText } from './schemas/fetch-schemas.ts';

const help = `Usage: node tools/update-schemas.ts

Writes packages/local-cluster/src/apiserver/schemas/kubernetes.json from the cluster that KUBECONFIG names.

  -h, --help  print this text
`;

toolArguments({ help });
const client = httpClient({ access: await loadAccess({}), log: silentLogger });
const file = join(import.meta.dirname, '../packages/local-cluster/src/apiserver/schemas/kubernetes.json');
await writeFile(file, schemasText(await fetchSchemas(client)));
client.close();
