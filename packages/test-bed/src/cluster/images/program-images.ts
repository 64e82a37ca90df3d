/** An image of a program of Debian. Entrypoint, command and user are those of the official image where possible. */
export interface ProgramImage {
  /** The name for manifests. Its tag is the version of Debian 12. */
  name: string;
  /** The Debian package that provides the program. */
  package: string;
  /** The packages whose files are in the image. Shared libraries are added by ldd. */
  contents: readonly string[];
  /** Files of these packages that are left out. */
  without?: RegExp;
  /** The program, at the same path on this machine and in the image. */
  program: string;
  /** Default arguments of the program. */
  args: readonly string[];
  /** Arguments of a container follow the program, and do not replace it. */
  isEntrypoint?: true;
  user?: string;
  /** Accounts in /etc/passwd in addition to root and nobody. */
  accounts?: Readonly<Record<string, number>>;
  /** Symbolic links, each with its target. */
  links?: Readonly<Record<string, string>>;
  /** Folders that every user may write to. */
  writable?: readonly string[];
  /** Small files, each with its content. */
  texts?: Readonly<Record<string, string>>;
  /** The account of this machine that runs the program on the local cluster, because the program refuses root. */
  refusesRoot?: string;
}

const postgresPrograms = '/usr/lib/postgresql/15/bin';

const images = {
  nginx: {
    name: 'nginx:1.22',
    package: 'nginx',
    contents: ['nginx', 'nginx-common'],
    program: '/usr/sbin/nginx',
    args: ['-g', 'daemon off;'],
    accounts: { 'www-data': 33, nginx: 33 },
    links: { '/var/log/nginx/access.log': '/dev/stdout', '/var/log/nginx/error.log': '/dev/stderr' },
    writable: ['/run', '/var/lib/nginx'],
    texts: {
      '/etc/nginx/conf.d/default.conf': 'server { listen 80; root /usr/share/nginx/html; }\n',
    },
  },
  postgres: {
    name: 'postgres:15',
    package: 'postgresql-15',
    contents: ['postgresql-15', 'postgresql-client-15', 'tzdata'],
    // The compiler of queries needs LLVM, which is larger than the rest of the image.
    without: /\/bitcode\/|\/llvmjit|\/zoneinfo\/(posix|right)\//,
    program: `${postgresPrograms}/postgres`,
    args: [],
    user: '999:999',
    accounts: { postgres: 999 },
    links: Object.fromEntries(
      ['initdb', 'pg_ctl', 'pg_isready', 'postgres', 'psql'].map((name) => [
        `/usr/local/bin/${name}`,
        `${postgresPrograms}/${name}`,
      ]),
    ),
    writable: ['/var/lib/postgresql', '/var/run/postgresql'],
    refusesRoot: 'postgres',
  },
  haproxy: {
    name: 'haproxy:2.6',
    package: 'haproxy',
    contents: ['haproxy'],
    program: '/usr/sbin/haproxy',
    args: ['-W', '-db', '-f', '/usr/local/etc/haproxy/haproxy.cfg'],
    user: '99:99',
    accounts: { haproxy: 99 },
    writable: ['/run', '/var/lib/haproxy'],
  },
  prometheus: {
    name: 'prom/prometheus:v2.42.0',
    package: 'prometheus',
    contents: ['prometheus'],
    program: '/bin/prometheus',
    args: ['--config.file=/etc/prometheus/prometheus.yml', '--storage.tsdb.path=/prometheus'],
    isEntrypoint: true,
    user: '65534:65534',
    links: { '/bin/prometheus': '/usr/bin/prometheus' },
    writable: ['/prometheus'],
  },
  python: {
    name: 'python:3.11',
    package: 'python3',
    contents: ['python3-minimal', 'python3.11-minimal', 'libpython3.11-minimal', 'libpython3.11-stdlib'],
    program: '/usr/bin/python3',
    args: [],
    links: { '/usr/local/bin/python3': '/usr/bin/python3', '/usr/local/bin/python': '/usr/bin/python3' },
  },
  curl: {
    name: 'curlimages/curl:7.88.1',
    package: 'curl',
    contents: ['curl'],
    program: '/usr/bin/curl',
    args: ['--help'],
    user: '100:100',
    accounts: { curl_user: 100 },
  },
} satisfies Record<string, ProgramImage>;

export type ProgramName = keyof typeof images;

export const programImages: Readonly<Record<ProgramName, ProgramImage>> = images;

/** The Debian packages of all program images. */
export function programPackages(): string[] {
  return Object.values(programImages).map((image) => image.package);
}
