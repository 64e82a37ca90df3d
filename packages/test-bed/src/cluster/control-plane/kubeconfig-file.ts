import { readFileSync } from 'node:fs';
import type { BedFolder } from '../state/bed-folder.ts';
import { writeIfChanged } from '../state/write-if-changed.ts';
import { certificateFile, readPair } from './pki.ts';

/** Writes `<file>.kubeconfig` with the client's certificate, as JSON, which is valid YAML. Returns its path. */
export function writeKubeconfig(folder: BedFolder, client: string, server: string, file = client): string {
  const pair = readPair(folder, client);
  const authority = readFileSync(certificateFile(folder, 'ca'));
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const name = `bed-${folder.name}`;
  const path = folder.at(`${file}.kubeconfig`);
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': authority.toString('base64') } }],
    users: [
      {
        name: client,
        user: {
          'client-certificate-data': base64(pair.certificate),
          'client-key-data': base64(pair.key),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: client, namespace: 'default' } }],
    'current-context': name,
  };
  writeIfChanged(path, `${JSON.stringify(content, null, 2)}\n`, 0o600);
  return path;
}
