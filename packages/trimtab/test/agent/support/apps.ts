/** Applications and files of the tests, which run in containers and on the local cluster. */

/** Serves the content of `file`, which it reads again at SIGUSR1. Takes the address and the port as arguments. */
export const nodeApp = (file: string) => `
  const { readFileSync } = require('node:fs');
  let text;
  const load = () => { text = readFileSync('${file}', 'utf8'); };
  process.on('SIGUSR1', load);
  load();
  const [, host, port] = process.argv;
  require('node:http').createServer((_, response) => response.end(text)).listen(Number(port), host);
`;

/** The same in Python. */
export const pythonApp = (file: string) => `
import http.server, signal, sys
text = b''
def load(*_):
    global text
    text = open('${file}', 'rb').read()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text)
    def log_message(self, *_): pass
signal.signal(signal.SIGUSR1, load)
load()
http.server.HTTPServer((sys.argv[1], int(sys.argv[2])), Handler).serve_forever()
`;

export function haproxyConf(rule: string, bind = ':8080'): string {
  return `
defaults
  mode http
  timeout client 10s
  timeout server 10s
  timeout connect 1s
frontend web
  bind ${bind}
  ${rule}
`;
}

export function haproxyAnswer(text: string): string {
  return `http-request return status 200 content-type text/plain string "${text}"`;
}

/** PostgreSQL with its data in /data/pg and its socket in a folder, and no other address. */
export function postgresConf(workMem: string, socketFolder = '/tmp'): Record<string, string> {
  const lines = [
    "data_directory = '/data/pg'",
    "hba_file = '/data/pg/pg_hba.conf'",
    "ident_file = '/data/pg/pg_ident.conf'",
    "listen_addresses = ''",
    `unix_socket_directories = '${socketFolder}'`,
    `work_mem = ${workMem}`,
  ];
  return { 'postgresql.conf': lines.join('\n') };
}
