import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { settings } from '../../packages/app/src/settings/settings.ts';
import { read } from '../support/workspace.ts';

describe('ops/kubernetes.yaml', () => {
  it('runs the image of this version with no rights, and sets settings and probes that there are', async () => {
    const documents = parseAllDocuments(await read('ops/kubernetes.yaml'));
    expect(documents.flatMap(({ errors }) => errors)).to.deep.equal([]);
    const { Job, Deployment, NetworkPolicy } = Object.fromEntries(
      documents.map((one) => [one.toJS().kind, one.toJS().spec]),
    );
    const { version } = JSON.parse(await read('package.json'));
    const user = Number(/^USER (\d+):/m.exec(await read('Dockerfile'))?.[1]);
    for (const { template } of [Job, Deployment]) {
      const { securityContext: ofPod, containers, volumes } = template.spec;
      expect(ofPod).to.include({ runAsNonRoot: true, runAsUser: user });
      const [{ image, securityContext, env, volumeMounts }] = containers;
      expect(image).to.equal(`campaign-mirror:${version}`);
      const rights = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true };
      expect(securityContext).to.deep.equal({ ...rights, capabilities: { drop: ['ALL'] } });
      const [{ path }] = volumes[0].secret.items;
      for (const { name, value } of env) {
        expect(settings).to.have.property(name.replace(/_FILE$/, ''));
        if (name.endsWith('_FILE')) expect(value).to.equal(`${volumeMounts[0].mountPath}/${path}`);
      }
    }
    const proxies = Deployment.template.spec.containers[0].env.find(
      ({ name }: { name: string }) => name === 'TRUSTED_PROXIES',
    );
    expect(Number(/\/(\d+)$/.exec(proxies.value)?.[1]), 'narrower than a cluster').to.be.at.least(24);
    expect(NetworkPolicy.podSelector).to.deep.equal(Deployment.selector);
    const ports = Deployment.template.spec.containers[0].ports.map(({ name }: { name: string }) => name);
    const admitted = NetworkPolicy.ingress.map(
      ({ from, ports: [{ port }] }: { from: object[]; ports: [{ port: string }] }) => [from.length, port],
    );
    expect(admitted).to.deep.equal(ports.map((port: string) => [1, port]));
    const [{ livenessProbe, readinessProbe }] = Deployment.template.spec.containers;
    expect(livenessProbe.httpGet).to.deep.equal({ path: '/livez', port: 'operators' });
    expect(readinessProbe.httpGet).to.deep.equal({ path: '/readyz', port: 'operators' });
  });
});
