// The service's own, no promise: what operators do, and values that only our packages use.
export * from './operator/access-keys.ts';
export * from './operator/campaign-import.ts';
export * from './operator/campaign-settings.ts';
export * from './operator/change-mirrors.ts';
export * from './operator/history-and-audit.ts';
export * from './operator/host-move.ts';
export * from './values/hosts.ts';
