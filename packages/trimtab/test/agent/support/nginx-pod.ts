import type { KubeObject } from '@trimtab/kube/wire.ts';
import { agentImage } from './agent-image.ts';

interface Security {
  runAsUser: number;
  capabilities?: { drop?: string[]; add?: string[] };
}

/** nginx that answers with a text, also as a user other than root. */
export function nginxConf(answer: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path /tmp/${name};`,
  );
  return `
error_log /dev/stderr;
pid /tmp/nginx.pid;
events {}
http {
  access_log off;
  ${temporary.join(' ')}
  server { listen ${port}; location / { return 200 "${answer}\\n"; } }
}
`;
}

/** A pod with nginx and the agent as containers of different users, which share their processes and a volume. */
export function nginxPod(name: string, nginx: Security, agent: Security): KubeObject {
  const mount = { name: 'config', mountPath: '/config' };
  const spec = {
    serviceAccountName: 'config-reader',
    shareProcessNamespace: true,
    terminationGracePeriodSeconds: 0,
    volumes: [{ name: 'config', emptyDir: {} }],
    initContainers: [
      {
        name: 'agent',
        image: agentImage,
        restartPolicy: 'Always',
        args: ['--configroot=/config', '--configmap=nginx', '--reload-process=nginx', '--retries=0'],
        env: [
          { name: 'TRIMTAB_AGENT_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
        ],
        securityContext: agent,
        volumeMounts: [mount],
        startupProbe: { httpGet: { path: '/readyz', port: 8082 }, periodSeconds: 1, failureThreshold: 60 },
      },
    ],
    containers: [
      {
        name: 'nginx',
        image: 'nginx:1.22',
        command: ['nginx', '-c', '/config/nginx.conf', '-g', 'daemon off;'],
        securityContext: nginx,
        volumeMounts: [mount],
        readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
      },
    ],
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: name } }, spec } as KubeObject;
}
