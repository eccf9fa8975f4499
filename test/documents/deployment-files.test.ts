import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { settings } from '../../packages/app/src/settings/settings.ts';
import { projectFolder, read } from '../support/workspace.ts';

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
  const documents = parseAllDocuments(readFileSync(`${projectFolder}ops/kubernetes.yaml`, 'utf8'));
  const { Job, Deployment, Service, PodDisruptionBudget } = Object.fromEntries(
    documents.map((one) => [one.toJS().kind, one.toJS().spec]),
  );
  const pods = [Job, Deployment].map(({ template }) => template.spec);

  it('leads to the pods of the deployment, and keeps one of them', () => {
    expect(documents.flatMap(({ errors }) => errors)).to.deep.equal([]);
    const { labels } = Deployment.template.metadata;
    expect(labels).to.be.an('object');
    expect(Deployment.selector).to.deep.equal({ matchLabels: labels });
    expect(PodDisruptionBudget.selector).to.deep.equal({ matchLabels: labels });
    expect(Service.selector).to.deep.equal(labels);
  });

  it('runs the image of this version, with its user and no rights', async () => {
    const { version } = JSON.parse(await read('package.json'));
    const user = Number(/^USER (\d+):/m.exec(await read('Dockerfile'))?.[1]);
    for (const { securityContext: ofPod, containers } of pods) {
      expect(ofPod).to.include({ runAsNonRoot: true, runAsUser: user });
      for (const { image, securityContext } of containers) {
        expect(image).to.equal(`campaign-mirror:${version}`);
        const rights = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true };
        expect(securityContext).to.deep.equal({ ...rights, capabilities: { drop: ['ALL'] } });
      }
    }
  });

  it('sets settings that there are, and each secret is where its setting says', () => {
    for (const { containers, volumes } of pods) {
      const [{ env, volumeMounts }] = containers;
      const [{ secret }] = volumes;
      const files = secret.items.map(({ path }: { path: string }) => `${volumeMounts[0].mountPath}/${path}`);
      for (const { name, value } of env) {
        expect(settings).to.have.property(name.replace(/_FILE$/, ''));
        if (name.endsWith('_FILE')) expect(files).to.include(value);
      }
    }
  });

  it('asks the listener for operators, and waits for the end', () => {
    const { containers, terminationGracePeriodSeconds } = Deployment.template.spec;
    const [{ env, livenessProbe, readinessProbe }] = containers;
    expect(livenessProbe.httpGet).to.deep.equal({ path: '/livez', port: 'operators' });
    expect(readinessProbe.httpGet).to.deep.equal({ path: '/readyz', port: 'operators' });
    const given = new Map<string, string>(
      env.map(({ name, value }: Record<string, string>) => [name, value]),
    );
    const seconds = (name: string) => Number.parseInt(given.get(name) ?? '', 10);
    const all = seconds('SHUTDOWN_DELAY') + seconds('SHUTDOWN_TIMEOUT');
    expect(terminationGracePeriodSeconds).to.be.at.least(all + 30);
  });
});
