export * from './move-mirrors/mirror-moves.ts';
export * from './move-mirrors/move-mirrors.ts';
export {
  type HostMove,
  type HostMoveFault,
  hostMove,
  isOnHost,
  namesHostElsewhere,
} from './move-mirrors/moved-address.ts';
export * from './operator/access-keys.ts';
export * from './operator/audit.ts';
export * from './operator/campaign-import.ts';
export * from './operator/campaign-settings.ts';
export * from './operator/follow-changes.ts';
export * from './operator/mirror-history.ts';
export * from './operator/operator-mirrors.ts';
