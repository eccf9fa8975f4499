// Changes a manifest when pnpm packs it (`hooks.beforePacking`). The manifests of the workspace are private, which
// keeps `npm publish` and `pnpm publish` from publishing the sources. Those in the tarballs are not.

/** The repository of the release workflow. npm refuses a provenance with another repository than the manifest's. */
const repository = process.env.PACKED_FROM;

export const hooks = {
  beforePacking({ private: _, devDependencies: __, ...manifest }) {
    // In the workspace, peers are dependencies, too. Elsewhere the user installs them.
    const { dependencies = {}, peerDependencies = {} } = manifest;
    for (const name of Object.keys(peerDependencies)) delete dependencies[name];
    return repository ? { ...manifest, repository: { type: 'git', url: `git+${repository}.git` } } : manifest;
  },
};
