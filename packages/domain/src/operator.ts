// The service's own, no promise: what operators do, and values that only our packages use.
export * from './move-mirrors/move-mirrors.ts';
export * from './move-mirrors/moved-address.ts';
export * from './operator/access-keys.ts';
export * from './operator/campaign-import.ts';
export * from './operator/campaign-settings.ts';
export * from './operator/history-and-audit.ts';
export * from './operator/operator-mirrors.ts';
export * from './values/hosts.ts';
