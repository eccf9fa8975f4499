import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { settings } from '../../packages/app/src/settings/settings-table.ts';
import { read } from '../support/workspace.ts';

describe('the files for containers fit the program', () => {
  it('ops/kubernetes.yaml runs this version as the user of the image, with existing settings and probes', async () => {
    const documents = parseAllDocuments(await read('ops/kubernetes.yaml'));
    expect(documents.flatMap(({ errors }) => errors)).to.deep.equal([]);
    const { Job, Deployment } = Object.fromEntries(
      documents.map((one) => [one.toJS().kind, one.toJS().spec.template?.spec]),
    );
    const { version } = JSON.parse(await read('package.json'));
    const user = Number(/^USER (\d+):/m.exec(await read('Dockerfile'))?.[1]);
    for (const { securityContext, containers, volumes, enableServiceLinks } of [Job, Deployment]) {
      expect(enableServiceLinks, 'a Service named ops would set OPS_PORT').to.equal(false);
      expect(securityContext).to.include({ runAsNonRoot: true, runAsUser: user });
      const [{ image, env, volumeMounts }] = containers;
      expect(image).to.equal(`campaign-mirror:${version}`);
      const [{ path }] = volumes[0].secret.items;
      for (const { name, value } of env) {
        expect(settings).to.have.property(name.replace(/_FILE$/, ''));
        if (name.endsWith('_FILE')) expect(value).to.equal(`${volumeMounts[0].mountPath}/${path}`);
      }
    }
    const [{ livenessProbe, readinessProbe }] = Deployment.containers;
    expect(livenessProbe.httpGet).to.deep.equal({ path: '/livez', port: 'operators' });
    expect(readinessProbe.httpGet).to.deep.equal({ path: '/readyz', port: 'operators' });
  });
});
