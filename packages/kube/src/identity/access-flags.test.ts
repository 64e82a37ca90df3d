import { expect, test } from 'vitest';
import { parseConfig } from '../flags/parse-config.ts';
import { accessFlags, accessOptions } from './access-flags.ts';

const program = {
  name: 'trimtab agent',
  summary: 'Runs the agent.',
  flags: { ...accessFlags, dryRun: { type: 'boolean', help: 'Change nothing.' } },
} as const;

function optionsOf(argv: string[], env: Record<string, string> = {}) {
  const parsed = parseConfig(program, { argv, env });
  if (parsed.kind === 'help') throw new Error('asked for help');
  return accessOptions(parsed.flags);
}

test('flags that are not set are no options', () => {
  expect(Object.keys(optionsOf(['--dry-run', '--insecure-skip-tls-verify=false']))).toEqual([]);
});

test("kubectl's flags are options", () => {
  const argv = [
    ...['--kubeconfig=k', '--context=c', '--cluster=l', '--user=u', '-s', 'https://s', '--token=t'],
    ...['--certificate-authority=ca', '--client-certificate=crt', '--client-key=key'],
    ...['--insecure-skip-tls-verify', '--tls-server-name=n', '--as=jane', '--as-group=a,b', '--as-group=c'],
    ...['--username=me', '--password=pw'],
  ];
  expect(optionsOf(argv)).toEqual({
    ...{ kubeconfig: 'k', context: 'c', cluster: 'l', user: 'u', server: 'https://s', token: 't' },
    ...{ certificateAuthority: 'ca', clientCertificate: 'crt', clientKey: 'key' },
    ...{ insecureSkipTlsVerify: true, tlsServerName: 'n', as: 'jane', asGroup: ['a,b', 'c'] },
    ...{ username: 'me', password: 'pw' },
  });
});

test('the environment sets them, too', () => {
  const env = { KUBECONFIG: 'a:b', TRIMTAB_TOKEN: 't', TRIMTAB_AS: 'jane', TRIMTAB_AS_GROUP: 'a,b' };
  expect(optionsOf([], env)).toEqual({ kubeconfig: 'a:b', token: 't', as: 'jane', asGroup: ['a', 'b'] });
});
