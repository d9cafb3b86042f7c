import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { checkConfig, configurationDocument, loadConfig } from '../../src/config.js';
import { ROLES } from '../../src/doors/cli/application.js';
import { ROUTE_ACCESS } from '../../src/doors/http/route-access.js';

/** What is deployed is what there is: names of settings, commands, roles, probes and time limits, by the real tables. */
// biome-ignore lint/suspicious/noExplicitAny: manifests are whatever they say
type Manifest = any;

const known = new Set([...configurationDocument().matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name!));
const compose: Manifest = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true });
const folder = 'deploy/kubernetes';
const files = readdirSync(folder).filter((name) => name !== 'kustomization.yaml');
const objects: Manifest[] = files.flatMap((name) =>
  parseAllDocuments(readFileSync(`${folder}/${name}`, 'utf8')).map((document) => document.toJS() as Manifest),
);
const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);

/** A value with a unit of time, in seconds. */
const seconds = (text: string) => Number(/^(\d+)s$/.exec(text)?.[1]);

function checkCommand([program, main, command, flag, roles]: string[]): void {
  expect([program, main]).toEqual(['node', 'dist/doors/cli/main.js']);
  expect(existsSync(main!.replace('dist/', 'src/').replace('.js', '.ts'))).toBe(true);
  expect(existsSync(`src/doors/cli/commands/${command}.ts`), command).toBe(true);
  if (command !== 'serve') return;
  expect(flag).toBe('--roles');
  for (const role of roles!.split(',')) expect(ROLES).toContain(role);
}

function checkSettings(env: Record<string, unknown>): void {
  expect(Object.keys(env).filter((name) => !known.has(name))).toEqual([]);
  const given = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, withDefaults(String(value))]),
  );
  expect(checkConfig({ env: given, file: null })).toMatchObject({ ok: true });
}

/** As compose fills it in where nothing is said. */
const withDefaults = (value: string) => value.replace(/\$\{\w+:-([^}]*)\}/g, '$1');

describe('docker-compose.yml', () => {
  const ours = Object.entries<Manifest>(compose.services).filter(([, service]) => service.build);

  test('Postrider by role → every command, setting and value is a real one, and there is time to stop', () => {
    expect(ours.map(([name]) => name)).toEqual(['api', 'worker', 'scheduler']);
    for (const [name, service] of ours) {
      checkCommand(service.command);
      expect(service.command[4].split(',')[0]).toBe(name);
      checkSettings(service.environment);
      const { worker } = loadConfig({ env: {}, file: null });
      expect(seconds(service.stop_grace_period) * 1000).toBeGreaterThan(worker.stopDeadlineMs);
      for (const needed of Object.keys(service.depends_on)) expect(compose.services).toHaveProperty(needed);
    }
  });

  test('what stands beside it → Mailpit as the source has it, and brokers that forget nothing', () => {
    const { mailpit, postgres, rabbitmq, redis } = compose.services;
    expect(mailpit.ports.map((port: string) => port.replace('127.0.0.1:', ''))).toEqual([
      '8025:8025',
      '1025:1025',
    ]);
    expect(mailpit.environment).toEqual({
      MP_SMTP_AUTH_ACCEPT_ANY: 'true',
      MP_SMTP_AUTH_ALLOW_INSECURE: 'true',
    });
    expect(redis.command.join(' ')).toContain('--maxmemory-policy noeviction');
    for (const service of [postgres, rabbitmq, redis]) {
      const [name] = service.volumes[0].split(':');
      expect(compose.volumes).toHaveProperty(name);
    }
  });

  test('every port → published on loopback alone', () => {
    const ports = Object.values<Manifest>(compose.services).flatMap((service) => service.ports ?? []);
    expect(ports.length).toBeGreaterThan(3);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  });
});

describe('deploy/kubernetes', () => {
  const settings = ofKind('ConfigMap')[0].data;
  const secrets = ofKind('Secret')[0].stringData;
  const deployments = ofKind('Deployment');
  const pods = [...deployments, ...ofKind('Job')].map((object) => object.spec.template.spec);

  test('settings and secrets → real names, values that are taken, and none in both', () => {
    expect(Object.keys(secrets).filter((name) => !known.has(name))).toEqual([]);
    expect(Object.keys(secrets).filter((name) => name in settings)).toEqual([]);
    checkSettings({ ...secrets, ...settings, POSTRIDER_SECRET_KEYS: `one:${'A'.repeat(43)}=` });
  });

  test('every container → a real command, as an ordinary user that can write nowhere, from the same settings', () => {
    expect(pods.length).toBe(4);
    for (const { containers, securityContext } of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true });
      for (const container of containers) {
        checkCommand(container.command);
        expect(container.securityContext).toMatchObject({
          ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        });
        expect(container.envFrom.map((from: Manifest) => Object.values<Manifest>(from)[0].name)).toEqual([
          ...['postrider', 'postrider'],
        ]);
      }
    }
  });

  test('every deployment → probes that are answered to anyone, time to stop, and a budget for disruptions', () => {
    const { worker } = loadConfig({
      env: { POSTRIDER_STOP_DEADLINE: settings.POSTRIDER_STOP_DEADLINE },
      file: null,
    });
    for (const { metadata, spec } of deployments) {
      const { containers, terminationGracePeriodSeconds } = spec.template.spec;
      const [{ lifecycle, ports, ...container }] = containers;
      expect(container.command[4]).toContain('api');
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
        const { path, port } = container[probe].httpGet;
        expect(ROUTE_ACCESS[`GET ${path}`]).toEqual({ right: 'anyone' });
        expect(ports.map((one: Manifest) => one.name)).toContain(port);
      }
      expect(ports[0].containerPort).toBe(Number(settings.PORT));
      const pause = Number(lifecycle.preStop.exec.command[1]);
      expect(terminationGracePeriodSeconds).toBeGreaterThan(worker.stopDeadlineMs / 1000 + pause);
      const labels = spec.template.metadata.labels;
      expect(spec.selector.matchLabels).toEqual(labels);
      const budget = ofKind('PodDisruptionBudget').find((one) => one.metadata.name === metadata.name);
      expect(budget.spec.selector.matchLabels).toEqual(labels);
      expect(spec.replicas).toBeGreaterThan(budget.spec.maxUnavailable);
    }
    const [scaler] = ofKind('HorizontalPodAutoscaler');
    expect(deployments.map(({ metadata }) => metadata.name)).toContain(scaler.spec.scaleTargetRef.name);
    const [service] = ofKind('Service');
    expect(deployments.map(({ spec }) => spec.selector.matchLabels.app)).toContain(service.spec.selector.app);
  });

  test('every pod → has no token of a service account', () => {
    expect(pods.map((pod) => [pod.automountServiceAccountToken, pod.serviceAccountName])).toEqual(
      Array(4).fill([false, undefined]),
    );
  });

  describe('network policies', () => {
    const policies = ofKind('NetworkPolicy');
    const labelsOf = [...deployments, ...ofKind('Job')].map(
      ({ spec }) => spec.template.metadata.labels as Record<string, string>,
    );
    const selects = ({ spec }: Manifest, labels: Record<string, string>): boolean => {
      const { matchLabels = {}, matchExpressions = [] } = spec.podSelector;
      return (
        Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
        matchExpressions.every(
          ({ key, operator, values }: Manifest) => operator === 'In' && values.includes(labels[key]),
        )
      );
    };
    const of = (labels: Record<string, string>, direction: 'Ingress' | 'Egress') =>
      policies.filter((one) => one.spec.policyTypes.includes(direction) && selects(one, labels));
    const ports = (rules: Manifest[]) => rules.flatMap((rule) => rule.ports.map((one: Manifest) => one.port));

    test('every one → of the API that there is, naming pods that there are, with fields Kubernetes knows', () => {
      expect(policies.length).toBeGreaterThan(0);
      for (const policy of policies) {
        expect(policy).toEqual({
          ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
          metadata: { name: expect.stringMatching(/^postrider-[a-z]+$/) },
          spec: expect.any(Object),
        });
        const { podSelector, policyTypes, ingress, egress, ...rest } = policy.spec;
        expect(rest).toEqual({});
        const named = [podSelector.matchLabels?.app, ...(podSelector.matchExpressions?.[0]?.values ?? [])];
        for (const app of named.filter(Boolean)) expect(labelsOf.map((labels) => labels.app)).toContain(app);
        expect(policyTypes).toEqual([ingress ? 'Ingress' : 'Egress']);
        for (const rule of [...(ingress ?? []), ...(egress ?? [])]) {
          expect(Object.keys(rule).filter((key) => !['from', 'to', 'ports'].includes(key))).toEqual([]);
          for (const { protocol, port, ...others } of rule.ports) {
            expect([['TCP', 'UDP'].includes(protocol), Number.isInteger(port), others]).toEqual([
              true,
              true,
              {},
            ]);
          }
        }
      }
    });

    test('every pod → is held both ways; the API alone is reached from everywhere, on its port alone', () => {
      expect(labelsOf.length).toBe(4);
      for (const labels of labelsOf) {
        expect(of(labels, 'Ingress').length, labels.app).toBeGreaterThan(0);
        expect(of(labels, 'Egress').length, labels.app).toBeGreaterThan(0);
        const rules = of(labels, 'Ingress').flatMap(({ spec }) => spec.ingress);
        expect(new Set(ports(rules))).toEqual(
          new Set(labels.app === 'postrider-migrate' ? [] : [Number(settings.PORT)]),
        );
        for (const { from } of rules) expect(from?.length ?? 0, 'from anywhere').toBeGreaterThan(0);
        const everyone = rules.filter(({ from }) =>
          from.some(({ namespaceSelector }: Manifest) => Object.keys(namespaceSelector).length === 0),
        );
        expect(everyone.length > 0).toBe(labels.app === 'postrider-api');
      }
    });

    test('what a tenant may name by URL → leads to public addresses alone; the database and the mail server are reached', () => {
      const rules = of(labelsOf[0]!, 'Egress').flatMap(({ spec }) => spec.egress);
      const [database] = /:(\d+)\//.exec(secrets.DATABASE_URL)!.slice(1).map(Number);
      expect(ports(rules)).toEqual(expect.arrayContaining([53, database, Number(settings.SMTP_PORT), 443]));
      for (const rule of rules.filter((one) =>
        ports([one]).some((port) => [80, 443, 25, 587].includes(port)),
      )) {
        for (const { ipBlock } of rule.to) {
          const allowed = new BlockList();
          const [net, bits] = ipBlock.cidr.split('/');
          allowed.addSubnet(net, Number(bits), net.includes(':') ? 'ipv6' : 'ipv4');
          const except = new BlockList();
          for (const one of ipBlock.except ?? []) {
            const [inner, width] = one.split('/');
            except.addSubnet(inner, Number(width), 'ipv4');
          }
          for (const address of [
            '10.1.2.3',
            '169.254.169.254',
            '172.20.0.1',
            '192.168.1.1',
            '100.64.0.1',
            'fd00::1',
          ])
            expect([
              address,
              allowed.check(address, address.includes(':') ? 'ipv6' : 'ipv4') &&
                !except.check(address, address.includes(':') ? 'ipv6' : 'ipv4'),
            ]).toEqual([address, false]);
        }
      }
    });
  });

  test('the kustomization → names every file but the example of secrets', () => {
    const { resources } = parse(readFileSync(`${folder}/kustomization.yaml`, 'utf8')) as Manifest;
    expect([...resources].sort()).toEqual(files.filter((name) => !name.includes('example')).sort());
  });
});

test('the image → runs as an ordinary user, with the clients package.json asks its users for', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8');
  expect(dockerfile).toMatch(/^USER node$/m);
  expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  checkCommand([...JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)![1]!), '--roles', 'api']);
  const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  const installed = [...dockerfile.matchAll(/"(@?[\w/-]+)@([~^][\d.]+)"/g)].map(([, name, range]) => [
    name,
    range,
  ]);
  // React Email renders on the caller's side.
  const { '@react-email/render': _caller, ...wanted } = peerDependencies;
  expect(Object.fromEntries(installed)).toEqual(wanted);
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from]) =>
    from!.split(' '),
  );
  for (const path of copied) expect(existsSync(path), path).toBe(true);
});
