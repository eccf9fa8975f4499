export * from './set-campaign-mirror/ports.ts';
export * from './set-campaign-mirror/set-campaign-mirror.ts';
export * from './values/access-key.ts';
export { type HostList, type HostName, hostList, namedHosts } from './values/hosts.ts';
export * from './values/identifiers.ts';
export * from './values/mirror-address.ts';
