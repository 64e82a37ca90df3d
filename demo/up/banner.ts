export interface BannerParts {
  demo?: string;
  kubeconfig: string;
  gateway: string;
  api: string;
  /** PEM file with the certificate of the gateway's certificate authority. */
  gatewayAuthorityFile: string;
  /** File with the administrator's bearer token. */
  tokenFile: string;
  hasKeys: boolean;
  hasKubectl: boolean;
  /** Where pods find their volumes and which addresses they have. */
  pods: readonly string[];
}

/** The text that `npm start` prints when the cluster runs. */
export function banner(parts: BannerParts): string {
  const { demo, kubeconfig, gateway, api, gatewayAuthorityFile, tokenFile, hasKeys, hasKubectl, pods } =
    parts;
  const line = (name: string, value: string) => `  ${name.padEnd(13)}${value}\n`;
  const text = [
    'Trimtab is up\n',
    demo === undefined ? '' : line('demo', demo),
    line('kubeconfig', `${kubeconfig}        export KUBECONFIG=${kubeconfig}`),
    line('gateway', gateway),
    line('API', api),
    ...pods.map((each, index) => line(index === 0 ? 'pods' : '', each)),
    hasKeys && demo !== undefined ? line('keys', 'g good change   b bad change   u undo   q quit') : '',
    '\n',
  ];
  if (demo !== undefined) {
    const current = `${gateway}/api/v1/namespaces/default/configmaps/demo/current`;
    text.push(
      `  curl --cacert ${gatewayAuthorityFile} -H "Authorization: Bearer $(cat ${tokenFile})" ${current}\n`,
    );
    if (hasKubectl)
      text.push(
        `  kubectl --kubeconfig ${kubeconfig} get pods,configrollouts\n`,
        `  kubectl --kubeconfig ${kubeconfig} edit configmap demo\n`,
      );
    text.push('\n');
  }
  return text.join('');
}
