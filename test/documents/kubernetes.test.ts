import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { settings } from '../../packages/app/src/settings/settings.ts';
import { read } from '../support/workspace.ts';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env: readonly { name: string; value: string }[];
  readonly ports?: readonly { name: string; containerPort: number }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { name: string; mountPath: string }[];
  readonly [probe: `${string}Probe`]: { httpGet: { path: string; port: string } };
}
interface Pod {
  readonly securityContext: { runAsUser: number };
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly Container[];
  readonly volumes: readonly { name: string; secret: { items: readonly { path: string }[] } }[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { name: string };
  readonly spec: {
    readonly selector?: object;
    readonly template?: { readonly metadata?: { labels: object }; readonly spec: Pod };
    readonly ports?: readonly { targetPort: string }[];
  };
}

const seconds = (time = '0s') => Number(/^(\d+)s$/.exec(time)?.[1]);

describe('ops/kubernetes.yaml', () => {
  let manifests: readonly Manifest[];
  before(async () => {
    const documents = parseAllDocuments(await read('ops/kubernetes.yaml'));
    expect(documents.flatMap(({ errors }) => errors)).to.deep.equal([]);
    manifests = documents.map((one) => one.toJS());
  });
  const of = (kind: string) => manifests.find((one) => one.kind === kind)?.spec;
  const pods = () => ['Job', 'Deployment'].map((kind) => of(kind)?.template?.spec as Pod);
  const service = () => of('Deployment')?.template?.spec.containers[0] as Container;

  it('has a migration, a deployment, what leads to it, and keeps one pod', () => {
    const kinds = manifests.map(({ kind }) => kind);
    expect(kinds).to.deep.equal(['Job', 'Deployment', 'Service', 'PodDisruptionBudget']);
    const labels = of('Deployment')?.template?.metadata?.labels;
    expect(labels).to.be.an('object');
    for (const selector of ['Deployment', 'PodDisruptionBudget'].map((kind) => of(kind)?.selector))
      expect(selector).to.deep.equal({ matchLabels: labels });
    expect(of('Service')?.selector).to.deep.equal(labels);
  });

  it('is the image of this version, with its user and no rights', async () => {
    const { version } = JSON.parse(await read('package.json'));
    const user = Number(/^USER (\d+):/m.exec(await read('Dockerfile'))?.[1]);
    for (const pod of pods()) {
      expect(pod.securityContext).to.include({ runAsNonRoot: true, runAsUser: user });
      for (const { image, securityContext } of pod.containers) {
        expect(image).to.equal(`campaign-mirror:${version}`);
        expect(securityContext).to.deep.equal({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  it('sets what there is to be set, and each secret is where its setting says', () => {
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
    const { ports = [], env, ...probes } = service();
    expect(ports.map(({ containerPort }) => containerPort)).to.deep.equal([3000, 3001]);
    expect(of('Service')?.ports?.map(({ targetPort }) => targetPort)).to.deep.equal(['http']);
    expect(probes.livenessProbe?.httpGet).to.deep.equal({ path: '/livez', port: 'operators' });
    expect(probes.readinessProbe?.httpGet).to.deep.equal({ path: '/readyz', port: 'operators' });
    const given = (name: string) => seconds(env.find((one) => one.name === name)?.value);
    expect(pods()[1]?.terminationGracePeriodSeconds).to.be.at.least(
      given('SHUTDOWN_DELAY') + given('SHUTDOWN_TIMEOUT') + 30,
    );
  });
});
