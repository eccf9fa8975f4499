import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { settings } from '../../packages/app/src/settings/settings.ts';
import { read } from '../support/workspace.ts';

describe('compose.yaml', () => {
  it('docs/how-to/compose.md lists every variable of it, with its default', async () => {
    const found = (await read('compose.yaml')).matchAll(/(?<!\$)\$\{(\w+)(?::-([^}]*))?\}/g);
    const rows = (await read('docs/how-to/compose.md')).matchAll(/^\| `(\w+)` \| (?:`([^`]*)`|empty) \|/gm);
    const defaults = (matches: Iterable<RegExpMatchArray>) =>
      Object.fromEntries([...matches].map(([, name = '', value = '']) => [name, value]));
    expect(defaults(rows)).to.deep.equal(defaults(found)).and.not.to.deep.equal({});
  });
});

describe('ops/kubernetes.yaml', () => {
  let manifests: Record<'Job' | 'Deployment' | 'Service' | 'PodDisruptionBudget', { spec: Spec }>;
  before(async () => {
    const documents = parseAllDocuments(await read('ops/kubernetes.yaml'));
    expect(documents.flatMap(({ errors }) => errors)).to.deep.equal([]);
    manifests = Object.fromEntries(documents.map((one) => [one.toJS().kind, one.toJS()])) as typeof manifests;
  });
  const pods = () => [manifests.Job, manifests.Deployment].map(({ spec }) => spec.template.spec);

  it('leads to the pods of the deployment, and keeps one of them', () => {
    const { Deployment, Service, PodDisruptionBudget } = manifests;
    const { labels } = Deployment.spec.template.metadata;
    expect(labels).to.be.an('object');
    expect(Deployment.spec.selector).to.deep.equal({ matchLabels: labels });
    expect(PodDisruptionBudget.spec.selector).to.deep.equal({ matchLabels: labels });
    expect(Service.spec.selector).to.deep.equal(labels);
  });

  it('runs the image of this version, with its user and no rights', async () => {
    const { version } = JSON.parse(await read('package.json'));
    const user = Number(/^USER (\d+):/m.exec(await read('Dockerfile'))?.[1]);
    for (const { securityContext: ofPod, containers } of pods()) {
      expect(ofPod).to.include({ runAsNonRoot: true, runAsUser: user });
      for (const { image, securityContext } of containers) {
        expect(image).to.equal(`campaign-mirror:${version}`);
        const rights = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true };
        expect(securityContext).to.deep.equal({ ...rights, capabilities: { drop: ['ALL'] } });
      }
    }
  });

  it('sets settings that there are, and each secret is where its setting says', () => {
    for (const { containers, volumes } of pods()) {
      for (const { env, volumeMounts } of containers) {
        const files = volumeMounts.flatMap(({ name, mountPath }) => {
          const items = volumes.find((one) => one.name === name)?.secret.items ?? [];
          return items.map(({ path }) => `${mountPath}/${path}`);
        });
        for (const { name, value } of env) {
          expect(settings).to.have.property(name.replace(/_FILE$/, ''));
          if (name.endsWith('_FILE')) expect(files).to.include(value);
        }
      }
    }
  });

  it('asks the listener for operators, publishes the other one, and waits for the end', () => {
    const { Deployment, Service } = manifests;
    const { containers, terminationGracePeriodSeconds } = Deployment.spec.template.spec;
    const [{ ports, env, livenessProbe, readinessProbe }] = containers;
    const names = Object.fromEntries(ports.map(({ name, containerPort }) => [containerPort, name]));
    expect(names).to.deep.equal({ 3000: 'http', 3001: 'operators' });
    expect(Service.spec.ports.map(({ targetPort }) => targetPort)).to.deep.equal(['http']);
    expect(livenessProbe.httpGet).to.deep.equal({ path: '/livez', port: 'operators' });
    expect(readinessProbe.httpGet).to.deep.equal({ path: '/readyz', port: 'operators' });
    const seconds = (name: string) => Number.parseInt(env.find((one) => one.name === name)?.value ?? '', 10);
    const all = seconds('SHUTDOWN_DELAY') + seconds('SHUTDOWN_TIMEOUT');
    expect(terminationGracePeriodSeconds).to.be.at.least(all + 30);
  });
});

interface Probe {
  readonly httpGet: object;
}
interface Container {
  readonly image: string;
  readonly env: readonly { name: string; value: string }[];
  readonly ports: readonly { name: string; containerPort: number }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { name: string; mountPath: string }[];
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}
interface Pod {
  readonly securityContext: object;
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly [Container];
  readonly volumes: readonly { name: string; secret: { items: readonly { path: string }[] } }[];
}
interface Spec {
  readonly selector: object;
  readonly template: { readonly metadata: { labels: object }; readonly spec: Pod };
  readonly ports: readonly { targetPort: string }[];
}
