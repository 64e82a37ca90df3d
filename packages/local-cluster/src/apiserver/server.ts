import type { Socket } from 'node:net';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { startHttpServer } from '@trimtab/kube/http/http-server.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { type CertificateAndKey, issue } from '@trimtab/kube/tls/authority.ts';
import { createMaterial } from '@trimtab/kube/tls/material.ts';
import { Store } from '../store/store.ts';
import { AdmissionChain } from './admission/admission.ts';
import { builtInPlugins } from './admission/built-in-plugins.ts';
import { mutatingPolicies } from './admission/policy/mutating.ts';
import { parametersIn } from './admission/policy/parameters.ts';
import type {
  MutatingAdmissionPolicy,
  PolicyBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from './admission/policy/policy-objects.ts';
import { validatingPolicies } from './admission/policy/validating.ts';
import { QuotaLedger } from './admission/quota/quota-ledger.ts';
import { resourceQuotas } from './admission/quota/resource-quotas.ts';
import { mutatingWebhooks } from './admission/webhook/mutating.ts';
import { validatingWebhooks } from './admission/webhook/validating.ts';
import type { WebhookConfiguration } from './admission/webhook/webhook-objects.ts';
import { auditLogTo } from './audit/audit-log.ts';
import { CustomKinds } from './crd/custom-kinds.ts';
import { Discovery } from './discovery/discovery.ts';
import { Access } from './identity/access.ts';
import { clientCertificates, serviceAccountTokens, staticToken } from './identity/authenticator.ts';
import { TokenSigner } from './identity/service-account-tokens.ts';
import { builtInKinds } from './kinds/built-in-kinds.ts';
import { resourceQuota } from './kinds/core/resource-quota.ts';
import { service } from './kinds/core/service.ts';
import { KindRegistry } from './kinds/kind-registry.ts';
import {
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from './kinds/policy/admission-policies.ts';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from './kinds/policy/admission-webhooks.ts';
import { Kubelets } from './node-proxy/kubelet.ts';
import { isSession } from './node-proxy/pod-session.ts';
import type { ApiObject } from './object.ts';
import { Pipeline } from './pipeline.ts';
import { noEscalation } from './rbac/escalation.ts';
import { RoleCache } from './rbac/role-cache.ts';
import { bootstrap } from './state/bootstrap.ts';
import { startCompaction, usualHistoryMs } from './state/compaction.ts';
import { kubeconfigText } from './state/kubeconfig.ts';
import { openStateDir, writePrivate } from './state/state-dir.ts';
import { StoreAddressAllocator } from './storage/address-allocator.ts';
import { ObjectCache } from './storage/object-cache.ts';
import { ObjectStorage } from './storage/object-storage.ts';
import type { Services } from './verbs/verb-request.ts';
import { WatchMemory } from './verbs/watch-memory.ts';

export interface ApiServerOptions {
  /** Directory for all state; created if it does not exist. */
  stateDir: string;
  /** Address to listen on; defaults to 127.0.0.1. */
  host?: string;
  /** Port to listen on; 0 lets the operating system choose one. */
  port: number;
  /** Flag that sets the port; the error for a port that is in use names it. */
  portFlag?: string;
  log: Logger;
  clock?: Clock;
  /** File for audit events, one JSON document per line; defaults to no audit log. */
  auditLog?: string;
  /** Time limit for receiving a request's body, after which the connection is closed; defaults to 30 s. */
  requestTimeoutMs?: number;
  /** Time limit for a connection without a request, and for receiving a request's headers; defaults to 120 s. */
  idleTimeoutMs?: number;
  /** Keeps objects in memory only; they are lost at shutdown. Certificates and keys are still in the directory. */
  inMemory?: boolean;
  /** How far back in time lists and watches can start; defaults to five minutes. */
  historyMs?: number;
}

export interface ApiServer {
  /** `https://127.0.0.1:6443` */
  url: string;
  /** The administrator's kubeconfig as text; `kubeconfigFile` holds the same. */
  kubeconfig: string;
  kubeconfigFile: string;
  /** PEM certificate of the authority that clients have to trust. */
  authority: string;
  /** The administrator's bearer token. */
  adminToken: string;
  /** Opens a connection from within this process, for clients that authenticate with a token. */
  connect(): Socket;
  /** Issues a client certificate that is valid for a year. */
  certificateFor(user: string, groups?: readonly string[]): CertificateAndKey;
  /** Issues a serving certificate for a server of this cluster, for its name and addresses. */
  certificateOfServer(name: string, addresses: readonly string[]): CertificateAndKey;
  /** Ends watches, lets other requests finish for `graceMs`, then closes the store. */
  close(graceMs?: number): Promise<void>;
}

const yearMs = 365 * 24 * 3600_000;
const admin = { username: 'kubernetes-admin', groups: ['system:masters'] };

/** Starts a Kubernetes API server in this process. Rejects with an OperationalError that says what prevents it. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { log, clock = systemClock, host = '127.0.0.1' } = options;
  const state = openStateDir(options.stateDir, clock.now());
  const { authority, adminToken, tokenKey } = state.secrets;
  const store = new Store({ file: options.inMemory ? ':memory:' : state.database, clock });
  try {
    const storage = new ObjectStorage(store);
    if (store.revision === 0) {
      await bootstrap(storage, clock.now());
      // History starts after the bootstrap: no client can hold an earlier resource version.
      store.compactBefore(Number.POSITIVE_INFINITY);
    } else await bootstrap(storage, clock.now());
    const addresses = new StoreAddressAllocator(store, service.storagePrefix);
    const registry = new KindRegistry(builtInKinds);
    const customKinds = new CustomKinds({ storage, registry, clock, log });
    customKinds.start();
    const roles = new RoleCache(store);
    const access = new Access(roles, storage, new TokenSigner(tokenKey));
    const caches = {
      mutating: new ObjectCache<WebhookConfiguration>(store, mutatingWebhookConfigurations),
      validating: new ObjectCache<WebhookConfiguration>(store, validatingWebhookConfigurations),
      policies: new ObjectCache<ApiObject & ValidatingAdmissionPolicy>(store, validatingAdmissionPolicies),
      bindings: new ObjectCache<ApiObject & ValidatingAdmissionPolicyBinding>(
        store,
        validatingAdmissionPolicyBindings,
      ),
      mutatingPolicies: new ObjectCache<ApiObject & MutatingAdmissionPolicy>(
        store,
        mutatingAdmissionPolicies,
      ),
      mutatingBindings: new ObjectCache<ApiObject & PolicyBinding>(store, mutatingAdmissionPolicyBindings),
      quotas: new ObjectCache(store, resourceQuota),
    };
    const hasQuotas = (namespace: string) =>
      caches.quotas.all().some(({ metadata }) => metadata.namespace === namespace);
    const parameters = parametersIn(registry, storage);
    const validating = {
      policies: () => caches.policies.all(),
      bindings: () => caches.bindings.all(),
      parameters,
    };
    const mutating = {
      policies: () => caches.mutatingPolicies.all(),
      bindings: () => caches.mutatingBindings.all(),
      parameters,
    };
    const auditLog = options.auditLog === undefined ? undefined : auditLogTo(options.auditLog);
    const services: Services = {
      registry,
      storage,
      admission: new AdmissionChain([
        ...builtInPlugins(storage),
        mutatingPolicies(mutating, storage, access.authorise),
        mutatingWebhooks(() => caches.mutating.all(), storage, access.authorise),
        noEscalation(access),
        validatingPolicies(validating, storage, access.authorise),
        validatingWebhooks(() => caches.validating.all(), storage, access.authorise),
        resourceQuotas(new QuotaLedger(storage, clock), hasQuotas),
      ]),
      access,
      kubelets: new Kubelets(
        storage,
        authority.certificate,
        certificateFor('kube-apiserver-kubelet-client', ['system:masters']),
      ),
      addresses,
      clock,
      watches: new Set(),
      watchMemory: new WatchMemory(),
    };
    const pipeline = new Pipeline({
      services,
      discovery: new Discovery(registry, store),
      authenticators: [
        clientCertificates,
        staticToken(adminToken, admin),
        serviceAccountTokens(access, clock),
      ],
      auditLog,
      log,
    });
    const server = await startHttpServer({
      name: 'local API server',
      host,
      port: options.port,
      ...(options.portFlag !== undefined && { portFlag: options.portFlag }),
      handler: (incoming, response) => pipeline.handle(incoming, response),
      upgrade: {
        wanted: isSession,
        handler: (incoming, socket, head) => pipeline.handleUpgrade(incoming, socket, head),
      },
      tls: {
        material: createMaterial({ ...servingCertificate(host), clientAuthority: authority.certificate }),
        clientCertificates: 'optional',
      },
      log,
      clock,
      ...(options.requestTimeoutMs !== undefined && { requestTimeoutMs: options.requestTimeoutMs }),
      ...(options.idleTimeoutMs !== undefined && { idleTimeoutMs: options.idleTimeoutMs }),
    });
    const kubeconfig = kubeconfigText({
      server: server.url,
      authority: authority.certificate,
      user: admin.username,
      certificate: certificateFor(admin.username, admin.groups),
    });
    writePrivate(state.kubeconfig, kubeconfig);
    const stopCompaction = startCompaction(store, clock, log, options.historyMs ?? usualHistoryMs);
    return {
      url: server.url,
      kubeconfig,
      kubeconfigFile: state.kubeconfig,
      authority: authority.certificate,
      adminToken,
      connect: () => server.connect(),
      certificateFor,
      certificateOfServer,
      async close(graceMs = 1_000) {
        stopCompaction();
        for (const end of [...services.watches]) end();
        await server.close(graceMs);
        auditLog?.close();
        roles.close();
        for (const cache of Object.values(caches)) cache.close();
        customKinds.close();
        addresses.close();
        store.close();
      },
    };
  } catch (error) {
    store.close();
    throw error;
  }

  function servingCertificate(address: string) {
    const names = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
    return issue(authority, {
      commonName: 'kube-apiserver',
      dnsNames: names,
      ipAddresses: [
        ...new Set(['127.0.0.1', '::1', '10.96.0.1', ...(/^[\d.]+$/.test(address) ? [address] : [])]),
      ],
      usages: ['server'],
      now: clock.now(),
      validForMs: yearMs,
    });
  }

  function certificateOfServer(name: string, ipAddresses: readonly string[]) {
    return issue(authority, {
      commonName: name,
      dnsNames: [name],
      ipAddresses: [...ipAddresses],
      usages: ['server'],
      now: clock.now(),
      validForMs: yearMs,
    });
  }

  function certificateFor(commonName: string, organizations: readonly string[] = []) {
    return issue(authority, {
      commonName,
      organizations,
      usages: ['client'],
      now: clock.now(),
      validForMs: yearMs,
    });
  }
}
