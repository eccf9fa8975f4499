import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { settings } from '../../packages/app/src/settings/settings-table.ts';
import { read } from '../support/workspace.ts';

describe('compose.yaml', () => {
  it('passes on settings that there are, and its page names each variable that it reads', async () => {
    const text = await read('compose.yaml');
    const given = Object.entries(parse(text, { merge: true })['x-settings']);
    for (const [name, value] of given) {
      expect(settings).to.have.property(name);
      expect(value).to.equal(`\${${name}:-}`);
    }
    const page = await read('docs/how-to/compose.md');
    const inTable = (page.match(/^\| `[A-Z].*?\|/gm) ?? []).flatMap(
      (cell) => cell.match(/[A-Z][A-Z_]+/g) ?? [],
    );
    const variables = new Set([...text.matchAll(/(?<!\$)\$\{([A-Z_]+)/g)].map(([, name]) => name));
    expect(inTable.sort()).to.deep.equal([...variables].sort());
  });
});

describe('ops/kubernetes.yaml', () => {
  it('runs the image of this version as its user, and sets settings and probes that there are', async () => {
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
