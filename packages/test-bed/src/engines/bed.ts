import { readFile } from 'node:fs/promises';

/** The fields of bed.json, written by `npm run cluster -- up`, that tests need to use the cluster. */
export interface Bed {
  name: string;
  level: 1 | 2;
  kubeconfig: string;
  kubectl: string;
  auditLog?: string;
  /** Level 2 only. */
  containers?: { images: { busybox: string; node: string } };
}

const howToGetOne =
  'Run the cluster tests with `npm run test:cluster`, which starts a cluster for them, or start one with ' +
  '`npm run cluster -- up` and set TRIMTAB_BED to the bed.json that it prints.';

export async function readBed(file: string | undefined): Promise<Bed> {
  if (file === undefined || file === '')
    throw new Error(`This test needs a cluster, and TRIMTAB_BED is not set. ${howToGetOne}`);
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`TRIMTAB_BED is set to ${file}, which cannot be read. ${howToGetOne}`, { cause });
  });
  return parseBed(text, file);
}

function parseBed(text: string, file: string): Bed {
  const bed: Partial<Bed> = JSON.parse(text);
  const { name, level, kubeconfig, kubectl, auditLog, containers } = bed;
  if (name === undefined || kubeconfig === undefined || kubectl === undefined || (level !== 1 && level !== 2))
    throw new Error(`${file} is not a valid bed.json: it needs name, level (1 or 2), kubeconfig and kubectl`);
  return {
    name,
    level,
    kubeconfig,
    kubectl,
    ...(auditLog === undefined ? {} : { auditLog }),
    ...(containers === undefined ? {} : { containers }),
  };
}
