import type { KubeObject } from '@trimtab/kube/wire.ts';
import { agentSidecar, mountsOf, sharingPod } from './agent-container.ts';

interface Security {
  runAsUser: number;
  capabilities?: { drop?: string[]; add?: string[] };
}

/** nginx that answers with a text, also as a user other than root. Its own files are in `scratch`. */
export function nginxConf(answer: string, port: number, scratch = '/tmp'): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${scratch}/${name};`,
  );
  return `
error_log /dev/stderr;
pid ${scratch}/nginx.pid;
events {}
http {
  access_log off;
  ${temporary.join(' ')}
  server { listen ${port}; location / { return 200 "${answer}\\n"; } }
}
`;
}

/** A pod with nginx and the agent as containers of different users. */
export function nginxPod(name: string, nginx: Security, agent: Security): KubeObject {
  const volumes = ['config'];
  return sharingPod(name, volumes, {
    initContainers: [agentSidecar(['--reload-process=nginx', '--retries=0'], { securityContext: agent })],
    containers: [
      {
        name: 'nginx',
        image: 'nginx:1.22',
        command: ['nginx', '-c', '/config/nginx.conf', '-g', 'daemon off;'],
        securityContext: nginx,
        volumeMounts: mountsOf(volumes),
        readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
      },
    ],
  });
}
