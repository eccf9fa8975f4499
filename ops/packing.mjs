// What pnpm does to a manifest when it packs (`hooks.beforePacking`), besides taking `publishConfig` and real versions.
// The workspace's manifests are private: neither `npm publish` nor `pnpm publish` publishes from the source. A tarball is not.

/** Where the release workflow runs: npm refuses a provenance that names another repository than the manifest. */
const repository = process.env.PACKED_FROM;

export const hooks = {
  beforePacking({ private: _, devDependencies: __, ...manifest }) {
    // Here everything is installed; elsewhere what is a peer, too, is left to whoever installs the package.
    const { dependencies = {}, peerDependencies = {} } = manifest;
    for (const name of Object.keys(peerDependencies)) delete dependencies[name];
    return repository ? { ...manifest, repository: { type: 'git', url: `git+${repository}.git` } } : manifest;
  },
};
