import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAccess } from '../src/kube/identity/load-access.ts';
import { httpClient } from '../src/kube/transport/http-client.ts';
import { silentLogger } from '../test/support/silent-logger.ts';
import { fetchSchemas, schemasText } from './schemas/fetch-schemas.ts';
import { toolArguments } from './tool-arguments.ts';

const help = `Usage: node tools/update-schemas.ts

Writes src/local/apiserver/schemas/kubernetes.json from the cluster that KUBECONFIG names.

  -h, --help  print this text
`;

toolArguments({ help });
const client = httpClient({ access: await loadAccess({}), log: silentLogger });
const file = join(import.meta.dirname, '../src/local/apiserver/schemas/kubernetes.json');
await writeFile(file, schemasText(await fetchSchemas(client)));
client.close();
